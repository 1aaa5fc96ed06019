"""The console: pages rendered on the server, which work without JavaScript; here is how to add one.

1. Handler: a module of this package, `things.py`, with async functions that take `desk: AtDesk` and end in
   `return desk.page("things/list.html.jinja", things=found)`. It has no logic of its own: it calls a service with
   `desk.reading` (an `OpenUnitOfWork` of the worlds that this account was given; the database sees to it),
   `desk.catalogue` (lists over playthroughs) or, to write, `desk.writing("thing approved", thing_id)`, whose commit
   writes the audit row too (`desk.writing_once`: where one thing takes several commits, the first writes the only one).
   Then `return desk.done("/things", "It is approved.")` leads back with a flash message.
   `open_to=TESTERS` on the route says for which roles it is (default: everybody who signed in; see `access.py`).
   A POST route that `keeps="field"` has what was typed there shown again, whatever comes of it.
   POST handlers read `desk.form["field"]`; that the form is ours has been seen before the handler runs (`access.py`).
   `addresses.py` makes links that keep a filter, `fields.py` reads numbers and choices.
   Errors of ours may just rise: `problems.py` answers them as a page with the cure.
2. Register: put the module's `HANDLERS` into `PAGES` of `routes.py`; its links are in `navigation.py` and are shown
   once their route is there.
3. Template: `templates/things/list.html.jinja` extends `_layout.html.jinja`, sets `title` and `crumbs`, and fills
   `block main` with the macros of `_pieces.html.jinja`. The policy of `seal.py` allows no inline style or script: use
   classes, and width or position as SVG attributes. What only your page needs is a partial of its own.
4. Looks: `static/console.css` has everything by class, your own go into `static/parts/things.css` (and `things.js`),
   which are served as one file with it. Signs with their words are in `signs.py`: no colour without a sign. Live parts
   are `data-live`, filtered tables `data-filter`, drawings that can be moved `data-pan`: see `static/console.js`.
5. Test: `tests/e2e/console/test_things.py`, synchronous, with the fixtures of its `conftest.py`; `looked_at(page, "x")`
   holds a page against axe, the browser's own complaints and both themes.
"""
