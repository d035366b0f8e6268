"""A small site whose examples can be changed and run."""

FILES = {
    "mkdocs.yml": """
        site_name: Small
        theme:
          name: material
          font: false
          features: [content.code.copy]
        plugins:
          - search
          - opbook:
              index: ops
              verify: false
              plugins: [my_ops.py]
        nav:
          - Home: index.md
          - Slider: slider.md
          - Ops: ops
        """,
    "my_ops.py": '''
        """Ops for this site."""

        from typing import Any

        from opbook import Array, builtin, hookimpl
        from opbook.figures import Heatmap, show


        # It is Python's own.
        @builtin(category="Text")
        def say(value: Any) -> None:
            """Prints a value."""
            print(value)


        # It is $2x$.
        @builtin(category="Doubling")
        def double(x: Array["..."]) -> Array["..."]:
            """Doubles every entry.

            Args:
                x: The entries.

            Returns:
                Twice the entries.
            """
            return 2 * x


        # Squares in the colours of numbers.
        @builtin(category="Figures")
        def draw(x: Array["N M"]) -> None:
            """Draws a matrix.

            Args:
                x: The matrix.
            """
            show(Heatmap(x.tolist()))


        # Nothing comes of it.
        @builtin(category="Text")
        def wait(what: Any) -> None:
            """Waits, for what never comes without end.

            Args:
                what: What for.
            """
            import threading

            while what == "for ever":
                threading.Event().wait(0.1)


        @hookimpl
        def opbook_builtins():
            return [say, double, draw, wait]
        ''',
    "docs/slider.md": """
        # A slider

        <!-- example: vary, x = 1, 2, 3 -->
        ```qu
        x = 2
        say("{double(x)}")
        draw([x, 4;])
        ```

        ```output
        4
        ```
        """,
    "docs/index.md": """
        # Welcome

        ```qu
        x = [1, 2, 3]
        say("{double(x)}")
        say("done")
        draw([1, 2; 3, 4])
        ```

        ```output
        [2, 4, 6]
        done
        ```

        <!-- example: continue -->
        ```qu
        say("{x + 1}")
        ```

        ```output
        [2, 3, 4]
        ```

        <!-- example: raises -->
        ```qu
        say(duoble)
        ```

        ```output
        <input>:1:5: nothing is named duoble
          say(duoble)
              ^
        Did you mean double?
        ```

        <!-- example: skip, it has no end -->
        ```qu
        wait("for ever")
        ```

        ```python
        from opbook.ops import double
        print(double([1, 2]))
        ```

        ```output
        [2. 4.]
        ```
        """,
}
