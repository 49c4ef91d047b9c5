"""Django's ASGI application, as `django-admin startproject` writes it."""

import os

from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "settings")

app = get_asgi_application()
