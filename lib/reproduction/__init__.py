"""The book's own package beside the library: experiments, data sets, the ledger of claims, style."""
