def guard_answers(get_response):
    return get_response
