"""The book's own package besides the library: experiments, data sets, the ledger of
claims, figures.
"""
