//! Did you mean: the known word that is closest to a misspelt one.

/// The word of `known` that most resembles `word`, when one is close enough to be meant; upper and lower case count as half a slip.
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let limit = 2 * (word.chars().count() / 3).clamp(1, 3);
    let is_near = |(slips, known): &(usize, &str)| *slips <= limit || known.to_lowercase() == word.to_lowercase();
    // What is longer or shorter by more than that need not be compared letter by letter.
    let length = word.chars().count();
    let known = known.into_iter().filter(|known| 2 * known.chars().count().abs_diff(length) <= limit);
    known.map(|k| (distance(word, k), k)).filter(is_near).min_by_key(|(d, _)| *d).map(|(_, k)| k)
}

/// Twice the number of insertions, removals, exchanges and swaps of neighbours (optimal string alignment) between two words.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut before = vec![0; b.len() + 1];
    let mut last: Vec<usize> = (0..=b.len()).map(|j| 2 * j).collect();
    for i in 1..=a.len() {
        let mut row = vec![2 * i; b.len() + 1];
        for j in 1..=b.len() {
            let (x, y) = (a[i - 1], b[j - 1]);
            let exchange = if x == y { 0 } else { 2 - usize::from(x.to_lowercase().eq(y.to_lowercase())) };
            row[j] = (last[j] + 2).min(row[j - 1] + 2).min(last[j - 1] + exchange);
            if i > 1 && j > 1 && x == b[j - 2] && a[i - 2] == y {
                row[j] = row[j].min(before[j - 2] + 2);
            }
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_what_was_meant() {
        let known = ["quality", "normalQuality", "method", "maxSize"];
        assert_eq!(nearest("qualty", known), Some("quality"));
        assert_eq!(nearest("maxsize", known), Some("maxSize"));
        assert_eq!(nearest("MAXSIZE", known), Some("maxSize"));
        assert_eq!(nearest("mehtod", known), Some("method"));
        assert_eq!(nearest("normal_quality", known), Some("normalQuality"));
        assert_eq!(nearest("colour", known), None);
        assert_eq!(nearest("", known), None);
    }
}
