from tutor.base.list_text import join_counted


def test_a_name_that_comes_again_is_counted_where_it_comes_first() -> None:
    assert join_counted(["mm", "convolution", "mm", "mm"]) == "mm (3 times), convolution"
    assert join_counted([]) == ""
