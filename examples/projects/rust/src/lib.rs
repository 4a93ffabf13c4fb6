//! Brackets that have to be closed in the order in which they were opened.

/// Whether every bracket of a text is closed.
pub fn balanced(text: &str) -> bool {
    let mut open = 0;
    for sign in text.chars() {
        match sign {
            '(' | '[' => open += 1,
            ')' | ']' => open -= 1,
            _ => {}
        }
    }
    open == 0
}

#[cfg(test)]
mod tests {
    use super::balanced;

    #[test]
    fn closed() {
        assert!(balanced("(a [b] c)"));
        assert!(!balanced("(a"));
    }

    #[test]
    fn in_order() {
        assert!(!balanced("(a [b) c]"));
    }
}
