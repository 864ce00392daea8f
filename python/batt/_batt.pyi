from typing import Any

# The C side: only the modules beside it use it.
def __getattr__(name: str) -> Any: ...
