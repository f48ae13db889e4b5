from gat.foreign import computed
__getattr__ = computed(__name__)
