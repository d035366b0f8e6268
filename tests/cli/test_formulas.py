import pytest

from opbook.cli.formulas import readable


@pytest.mark.parametrize(
    ("latex", "text"),
    [
        (r"$\gamma_i + \varepsilon$", "γ_i + ε"),
        (r"$$y = \frac{a + b}{2}(1 + c)$$", "y = (a + b)/2 (1 + c)"),
        (r"$\frac{1}{D}\sum_{j=1}^{D} x_j$", "1/D Σ_(j=1)^D x_j"),
        (r"$\sqrt{\sigma^2 + \varepsilon}$", "√(σ^2 + ε)"),
        (r"$\frac{\partial}{\partial x}\,\overline{h \hat x}$", "∂/(∂ x) mean(h x̂)"),
        (r"$\operatorname{softmax}\!\left(Q K^\top\right) V$", "softmax(Q Kᵀ) V"),
        (r"$\operatorname{erf}\frac{x}{2}$", "erf x/2"),
        (r"$\mathrm dS = P \circ \bigl(\mathrm dP - 1\bigr)$", "dS = P ∘ (dP - 1)"),
        (r"$$\begin{gathered} a = b, \\ c = d \end{gathered}$$", "a = b; c = d"),
        (r"$A \begin{bmatrix} B_1 \\ B_2 \end{bmatrix}$", "A [ B_1; B_2 ]"),
        (r"$y = \log\left(1 + e^x\right)\,\varphi(x)$", "y = log(1 + e^x) φ(x)"),
        (r"what $x$ is, and \$5", r"what x is, and \$5"),
        (r"$\unheardof{x}$", r"\unheardof{x}"),
    ],
)
def test_a_formula_as_text(latex, text):
    assert readable(latex) == text
