"""TechEmpower's tests as Django views, on its ORM."""

from operator import attrgetter

import world
from django.http import HttpResponse, JsonResponse
from django.shortcuts import render

from database.models import Fortune, World


def shown(row):
    return {"id": row.id, "randomNumber": row.randomNumber}


def pong(request):
    return HttpResponse("PONG", content_type="text/plain")


def json(request):
    return JsonResponse({"message": "Hello, World!"})


def plaintext(request):
    return HttpResponse("Hello, World!", content_type="text/plain")


def db(request):
    return JsonResponse(shown(World.objects.get(pk=request.GET.get("id") or world.drawn())))


def queries(request):
    rows = [World.objects.get(pk=id) for id in world.ids(request.GET.get("queries"))]
    return JsonResponse([shown(row) for row in rows], safe=False)


def fortunes(request):
    found = [*Fortune.objects.all(), Fortune(**world.ADDED)]
    found.sort(key=attrgetter("message"))
    return render(request, "fortunes.html", {"fortunes": found})


def updates(request):
    # In one order, so that no two requests wait for each other's rows.
    rows = [World.objects.get(pk=id) for id in sorted(world.ids(request.GET.get("queries")))]
    for row in rows:
        row.randomNumber = world.drawn()
        row.save(update_fields=["randomNumber"])
    return JsonResponse([shown(row) for row in rows], safe=False)
