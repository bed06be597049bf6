"""Language models, under caps and within budgets; the only room that knows their vendors.

exchange.py    what is sent, what comes back, and who carries it
"""

from bakeoff.models.exchange import Answer, Client, Completion, Finish, Message, Request, Role, Usage

__all__ = ["Answer", "Client", "Completion", "Finish", "Message", "Request", "Role", "Usage"]
