from slugs import slug


def test_words():
    assert slug("Hello World") == "hello-world"


def test_signs_at_the_end():
    assert slug("Hello, World!") == "hello-world"
