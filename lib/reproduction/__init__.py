"""What the book needs beside the library: experiments, data sets, the ledger of claims, style."""
