"""The smallest chapter that settles a claim, for tests of what executes chapters."""

HEADER = """---
jupytext:
  text_representation: {extension: .md, format_name: myst}
kernelspec: {display_name: Python 3, language: python, name: python3}
treebounds:
  claims: [L-def]
  small: {m_max: 2}
---

# Title

```{code-cell} ipython3
:tags: [parameters]
m_max = 5
```

"""
SETTLE = """```{code-cell} ipython3
from reproduction import claims
claims.settle("L-def", method="exhaustion", published=m_max, measured=m_max,
              scope=f"m = {m_max}")
```
"""
