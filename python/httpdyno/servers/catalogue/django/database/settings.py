"""The settings of the pages, and models, templates and a PostgreSQL."""

import os

from settings import *  # noqa: F403

ROOT_URLCONF = "database.urls"
INSTALLED_APPS = ["database"]
TEMPLATES = [
    {"BACKEND": "django.template.backends.django.DjangoTemplates", "DIRS": ["templates"]},
]
DATABASES = {
    "default": {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": os.environ["PGDATABASE"],
        "USER": os.environ["PGUSER"],
        "PASSWORD": os.environ["PGPASSWORD"],
        "HOST": os.environ["PGHOST"],
        "PORT": os.environ["PGPORT"],
        "OPTIONS": {"pool": True},
    },
}
