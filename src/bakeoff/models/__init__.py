"""Language models, under caps and within budgets; the only room that knows their vendors.

    Client (one attempt) ──▶ Model.complete (permit, budget, attempts, record) ──▶ Completion

exchange.py    what is sent, what comes back, and who carries it
model.py       a model that is called: limited, within a budget, tried again, recorded
limiter.py     how a provider is kept from being asked too much
account.py     whose calls they are: budgets, and what was spent
prices.py      what calls cost
keys.py        keys, and that nobody sees them
settings.py    what a user may say of a provider
providers.py   all that the calls of one process share
vendors.py     the real clients
"""

from bakeoff.models.account import Account, Budget, Spent
from bakeoff.models.exchange import Answer, Client, Completion, Finish, Message, Request, Role, Usage
from bakeoff.models.keys import Secret
from bakeoff.models.limiter import Limiter
from bakeoff.models.model import Model
from bakeoff.models.prices import Prices, Rates
from bakeoff.models.providers import Providers
from bakeoff.models.settings import ProviderSettings

__all__ = [
    "Account",
    "Answer",
    "Budget",
    "Client",
    "Completion",
    "Finish",
    "Limiter",
    "Message",
    "Model",
    "Prices",
    "ProviderSettings",
    "Providers",
    "Rates",
    "Request",
    "Role",
    "Secret",
    "Spent",
    "Usage",
]
