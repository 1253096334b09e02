"""The words that frame an answer, by meaning and language: what is left without them is what it says.

Verdicts are read by theirs. Data, and how settings add to it. A `*` at the end stands for any ending. Words of Chinese,
Japanese and Korean are found inside others; all others are whole words. English, Korean, German, French, Spanish,
Portuguese, Italian, Russian, Ukrainian, Polish, Turkish, Chinese (both scripts) and Japanese.

    [planning.words]
    aspects = ["ongelma*"]             # also: recommendation, trade_off, passed, failed
    [planning.words.sections]
    Goal = ["Tavoite"]
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from planrail.base.errors import UsageError
from planrail.base.records import record

_ENOUGH = 20_000  # characters that tell a language
_UNSPACED = "\u1100"  # from Hangul on: scripts whose words are found inside others


def has_word(text: str, words: Sequence[str]) -> bool:
    return any(True for word in _possible(text, words) for _ in _places(text, word))


def is_in_known_language(text: str) -> bool:
    """Whether a lower-case text has one of the common words of a language with shipped words."""
    return has_word(text[:_ENOUGH], COMMON.split("|"))


def _possible(text: str, words: Sequence[str]) -> Iterable[str]:
    return [word for word in words if word.isascii()] if text.isascii() else words


def _places(text: str, word: str) -> Iterator[int]:
    """Where a word stands as a word. A `*` at its end stands for any ending."""
    stem = word.removesuffix("*")
    is_whole, is_unspaced = stem == word, stem[0] >= _UNSPACED
    at = text.find(stem)
    while at >= 0:
        end = at + len(stem)
        around = (text[at - 1 : at], text[end : end + 1] if is_whole else "")
        if is_unspaced or not any(one.isalnum() and one < _UNSPACED for one in around):
            yield at
        at = text.find(stem, end)


ASPECTS = (
    "problem*|why|purpose*|success*|constrain*|assumption*|impact*|requirement*|"
    "문제|왜|이유|목적|성공|제약|가정|전제|영향|요구|"
    "warum|zweck|erfolg*|einschränkung*|randbedingung*|annahme*|auswirkung*|anforderung*|"
    "problème*|pourquoi|succès|réussite|contrainte*|hypothèse*|supposition*|exigence*|"
    "por qué|propósito*|éxito*|restricci*|suposici*|supuesto*|impacto*|requisito*|"
    "por quê|por que|sucesso*|restriç*|suposiç*|pressuposto*|premissa*|"
    "perché|scopo|successo|vincol*|assunzion*|impatto|requisit*|"
    "проблем*|почему|зачем|назначение|успех*|ограничени*|предположени*|допущени*|влияни*|последстви*|требовани*|"
    "чому|навіщо|призначення|успіх*|обмеженн*|припущенн*|вплив*|вимог*|"
    "dlaczego|sukces*|ograniczeni*|założeni*|wpływ*|wymagani*|"
    "sorun*|neden|amaç|başarı*|kısıt*|varsayım*|etki*|gereksinim*|"
    "问题|問題|为什么|為什麼|为何|目的|成功|约束|約束|限制|假设|假設|影响|影響|需求|要求|"
    "課題|なぜ|理由|制約|前提|仮定|要件|"
    # what it is for, when it is done, where it ends, which people it concerns
    "goal|goals|objective*|acceptance|criteri*|limit|limits|limitation*|done when|done means|is done|stakeholder*|"
    "risk|risks|affected|affects|bug|bugs|motivation*|must|"
    "목표|위험|리스크|한계|기준|완료|대상|해야|"
    "ziel|ziele|fertig|akzeptanz*|kriteri*|grenze*|betroffen*|risiko|risiken|fehler|muss|müssen|"
    "objectif*|critère*|limite*|risque*|concerné*|terminé*|doit|doivent|"
    "objetivo*|criterio*|límite*|riesgo*|afectad*|aceptación|debe|deben|"
    "critério*|risco*|afetad*|aceitação|deve|devem|obiettiv*|rischi*|limiti|accettazione|devono|"
    "цель|цели|критери*|границ*|риск|риски|должен|должн*|готово|мета|критері*|ризик*|повин*|"
    "cel|cele|kryteri*|granic*|ryzyk*|musi|muszą|hedef*|ölçüt*|kriter*|sınır*|"
    "目标|目標|标准|標準|验收|驗收|风险|風險|边界|必须|必須|リスク|基準|受け入れ|完了"
)
RECOMMENDATION = (
    "recommend*|choose|chooses|choosing|chose|chosen|prefer|prefers|preferred|preferable|selected|"
    "go with|going with|opt for|best option|best choice|"
    "추천|권장|선택|선호|채택|권고|"
    "empfehl*|empfiehlt|bevorzug*|wähle|wählen|gewählt|entscheide*|"
    "recommand*|choisi*|préfér*|privilégi*|retenu*|"
    "recomiend*|recomend*|elijo|elegi*|elegimos|prefier*|escog*|seleccion*|"
    "escolh*|prefir*|selecion*|"
    "raccomand*|consigli*|scelgo|sceglie*|scelta|scelto|preferi*|"
    "рекоменд*|выбира*|выбор|выбран*|предпочит*|предпочт*|обира*|вибира*|обран*|перевага надається|"
    "polecam|zalecam|rekomend*|wybier*|wybran*|wybór|preferuj*|"
    "öner*|tavsiye*|seçiyor*|seçti*|seçildi|tercih*|"
    "推荐|推薦|建议|建議|选择|選擇|首选|首選|采用|採用|選定|推奨|選択|お勧め|おすすめ|"
    "suggest|suggests|suggestion|favour|favours|favoured|favor|favors|favored|pick|picks|picked|go for|going for|"
    "decision:|decision is|decided|decide on|decide for|settle on|settled on|my choice|choice:|choice is|would take|"
    "is better|is best|is the better|is the best|"
    "제안|결정|schlage|vorschlag*|beste|besser|suggère*|propose|proposons|décision|décidé*|meilleur*|"
    "sugier*|sugerimos|propong*|decisión|mejor|sugiro|proponho|decisão|melhor|suggeri*|decisione|migliore|"
    "предлага*|решил*|лучше|пропону*|вирішив*|вирішили|краще|proponuj*|sugeruj*|decyzja|najlepsz*|karar*|daha iyi|"
    "决定|決定|更好|倾向|傾向"
)
TRADE_OFF = (
    "pros|cons|pro:|con:|**pro*|**con*|advantage*|disadvantage*|trade-off*|tradeoff*|trade off*|benefit*|drawback*|"
    "downside*|upside*|"
    "장점|단점|장단점|트레이드오프|이점|절충|"
    "vorteil*|nachteil*|kompromiss*|abwägung*|"
    "avantage*|inconvénient*|compromis|"
    "ventaja*|desventaja*|pros|contras|compensaci*|inconveniente*|"
    "vantage*|desvantage*|vantagen*|desvantagen*|contrapartida*|"
    "vantaggi*|svantaggi*|compromess*|"
    "плюс*|минус*|преимуществ*|недостат*|компромисс*|переваг*|недолік*|мінус*|компроміс*|"
    "zalet*|wad*|kompromis*|"
    "avantaj*|dezavantaj*|artı*|eksi*|ödünleşim*|"
    "优点|優點|缺点|缺點|优势|優勢|劣势|劣勢|利弊|权衡|權衡|取舍|取捨|利点|欠点|長所|短所|メリット|デメリット|"
    "トレードオフ|"
    "strength|strengths|weakness|weaknesses|for:|against:|speaks for|speaks against|plus:|minus:|good:|bad:|cost:|"
    "costs:|gains:|"
    "강점|약점|stärke|stärken|schwäche*|dafür|dagegen|points forts|points faibles|faiblesse*|pour :|contre :|"
    "fortaleza*|debilidad*|a favor|en contra|pontos fortes|pontos fracos|punti di forza|punti deboli|a favore|"
    "сильные стороны|слабые стороны|сильні сторони|слабкі сторони|mocne strony|słabe strony|güçlü yön*|zayıf yön*|"
    "好处|好處|坏处|壞處|代价|代價|強み|弱み"
)
# Those that fail stand first in a search: many of them contain one that passes.
FAILED = (
    "fail|fails|failed|failing|failure|does not pass|doesn't pass|not passed|not pass|no pass|❌|✗|✘|✖|"
    "실패|불합격|미통과|통과하지|통과 못|부적합|미달|"
    "nicht bestanden|durchgefallen|nicht erfüllt|échec|échoue|échoué|non satisfait|falla|fallo|no cumple|suspenso|"
    "falha|falhou|reprovado|não cumpre|fallito|fallisce|non superato|non soddisfatto|"
    "не пройдено|не пройден|провал|провалено|не выполнено|не виконано|niezaliczone|niespełnione|nie spełnia|"
    "başarısız|kaldı|未通过|未通過|不通过|不通過|失败|失敗|不合格|不符合"
)
PASSED = (
    "pass|passes|passed|passing|✅|✓|✔|통과|합격|충족|"
    "bestanden|erfüllt|réussi|réussite|satisfait|conforme|aprobado|cumple|pasa|aprovado|cumpre|passou|superato|"
    "soddisfatto|"
    "пройдено|пройден|выполнено|виконано|зачтено|zaliczone|spełnione|spełnia|geçti|başarılı|通过|通過|合格|符合"
)
# Words that any longer text in one of the languages has, and that others lack: whether planrail knows the language.
COMMON = (
    "the|and|which|are|this|it|we|when|no|der|das|und|nicht|ist|mit|wird|le|les|des|est|une|dans|el|los|una|para|con|"
    "não|uma|com|os|il|che|di|per|и|не|на|що|та|jest|nie|się|bir|ve|için|는|은|이|가|을|를|다|的|是|了|不|の|は|に"
)
NAMES = ("aspects", "recommendation", "trade_off", "passed", "failed")


@record
class Words:
    """The words that count, in lower case, by meaning; `sections` are more titles for the sections of a plan."""

    aspects: tuple[str, ...]
    recommendation: tuple[str, ...]
    trade_off: tuple[str, ...]
    passed: tuple[str, ...]
    failed: tuple[str, ...]
    sections: Mapping[str, tuple[str, ...]]

    @property
    def frame(self) -> tuple[str, ...]:
        """The words that any answer may have: they say what it is about to say, and nothing of it."""
        return (*self.aspects, *self.recommendation, *self.trade_off, *self.passed, *self.failed, *_FRAME.split("|"))


_FRAME = (
    "option*|alternative*|approach*|variant*|solution*|choice*|lösung*|möglichkeit*|opción|opciones|thing|things|"
    "stuff|good|bad|better|great|well|nice|fine|weak|plan*|step*|phase*|point*|aspect*|reason*|work|works|gut|schlecht|bon|"
    "mauvais|bueno|malo|overall|important|answer*|request*"
)
_TABLES = (ASPECTS, RECOMMENDATION, TRADE_OFF, PASSED, FAILED)
_WORDS = {name: tuple(dict.fromkeys(table.split("|"))) for name, table in zip(NAMES, _TABLES, strict=True)}
SHIPPED = Words(**_WORDS, sections={})


def words_from(settings: Mapping[str, object]) -> Words:
    """The shipped words and those of the table `[planning.words]`, or a `UsageError` that names the wrong key."""
    unknown = sorted(set(settings) - {*NAMES, "sections"})
    if unknown:
        raise UsageError(
            f"planrail.toml: [planning.words] does not know {unknown[0]!r}",
            remedy=f"use some of: {', '.join(NAMES)}, sections",
        )
    more = {name: (*getattr(SHIPPED, name), *_listed(settings, name, name)) for name in NAMES}
    table = settings.get("sections", {})
    if not isinstance(table, dict):
        raise UsageError(
            "planrail.toml: [planning.words] sections is a table", remedy='write: sections = { Goal = ["Tavoite"] }'
        )
    return Words(**more, sections={str(name): _listed(table, name, f"sections.{name}") for name in table})


def _listed(table: Mapping[str, object], key: str, name: str) -> tuple[str, ...]:
    listed = table.get(key, [])
    if not isinstance(listed, list | tuple) or not all(isinstance(word, str) and word.strip(" *") for word in listed):
        raise UsageError(
            f"planrail.toml: [planning.words] {name} is a list of words", remedy=f'write: {name} = ["word"]'
        )
    return tuple(word.strip().lower() for word in listed)
