"""Candidates from language models.

    brief.tried ──asks──▶ what is asked next ──prompts, context──▶ messages ──▶ Model ──▶ text ──answers──▶ Proposal

asks.py       what is asked next, given what came of all that was asked before
context.py    what a model is shown of the target, most useful first
prompts.py    the texts that a model is asked with, from files that a user may replace
reviews.py    what it is shown of candidates: what came of them, and why
answers.py    from what a model answers to changes, or to a reason
              blocks.py reads what it holds, grafting.py and locating.py put it in its place, texts.py keeps the rest
source.py     asks many at once, and proposes what comes
"""
