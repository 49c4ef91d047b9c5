"""The settings of `django-admin startproject` for production, and no more than the pages need."""

DEBUG = False
ALLOWED_HOSTS = ["*"]
SECRET_KEY = "only the pages of a benchmark, which have no secrets"
ROOT_URLCONF = "urls"
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]
