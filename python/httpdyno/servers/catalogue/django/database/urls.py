"""The paths of TechEmpower's tests."""

from django.urls import path

from database import views

urlpatterns = [
    path("pong", views.pong),
    path("json", views.json),
    path("plaintext", views.plaintext),
    path("db", views.db),
    path("queries", views.queries),
    path("fortunes", views.fortunes),
    path("updates", views.updates),
]
