from rest_framework.pagination import PageNumberPagination


class PagePagination(PageNumberPagination):
    """`?page=&page_size=`, 50 rows unless asked otherwise, 1,000 at most."""

    page_size = 50
    page_size_query_param = "page_size"
    max_page_size = 1000
