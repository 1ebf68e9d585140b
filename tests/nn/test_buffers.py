import torch

from highwaygraph.nn.layerwise import BufferPool


def test_a_table_of_the_same_name_has_the_memory_of_the_last() -> None:
    desk = BufferPool()
    first = desk.table("a", 10, 4)
    assert first.shape == (10, 4)
    smaller, other = desk.table("a", 3, 5), desk.table("b", 10, 4)
    assert smaller.shape == (3, 5)
    assert smaller.data_ptr() == first.data_ptr() != other.data_ptr()
    smaller[:], other[:] = 1, 2
    assert torch.equal(first.flatten()[:15], torch.ones(15))


def test_a_larger_table_gets_memory_of_its_own() -> None:
    desk = BufferPool()
    small, large = desk.table("a", 2, 2), desk.table("a", 100, 3)
    large[:] = 1
    small[:] = 2
    assert torch.equal(large, torch.ones(100, 3))
    assert desk.table("a", 300, 1).data_ptr() == large.data_ptr()
