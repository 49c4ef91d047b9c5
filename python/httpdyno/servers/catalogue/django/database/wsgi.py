"""The WSGI application of the project, as `django-admin startproject` writes it."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "database.settings")

app = get_wsgi_application()
