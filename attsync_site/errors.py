def csrf_failure(request, reason=""):
    return None
