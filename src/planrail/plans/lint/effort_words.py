"""How plans say how much work something is, by language. Data only: a new language needs no code.

Parts of regular expressions over lower-case text.
"""

KEYS = (
    "(?:(?:estimated|expected|approx\\.?|rough|total) )?(?:effort|estimate|estimation|duration|timing|time|size|hours|"
    "days|work|story points|points)(?: estimate)?|est\\.?|t-shirt(?: size)?|"
    "(?:geschätzter )?aufwand|dauer|(?:effort|durée|charge|temps)(?: estimée?)?|(?:esfuerzo|estimación|duración|tiempo)"
    "(?: estimad[oa])?|(?:esforço|estimativa|duração|tempo)(?: estimad[oa])?|(?:sforzo|impegno|stima|durata|tempo)"
    "(?: stimat[oa])?|(?:оценка|трудозатраты|трудоёмкость|трудоемкость|усилия|длительность|время)|зусилля|оцінка|"
    "nakład pracy|szacunek|czas|efor|süre|tahmin|"
    "工作量|预计时间|预估时间|预计工时|估时|耗时|工时|時間|工数|見積もり|見積り|見積|所要時間|"
    "예상 ?시간|소요 ?시간|예상 ?소요 ?시간|작업량|노력|공수|예상 ?공수|규모|난이도"
)
SIZES = (
    "x{0,3}s|m|x{0,3}l|small|medium|large|extra large|tiny|trivial|low|moderate|high|klein|mittel|groß|petit|moyen|"
    "grand|pequeño|mediano|grande|pequeno|médio|малый|средний|большой|小|中|大|하|중|상|작음|보통|큼"
)
UNITS = (
    "h|hr|hrs|hours?|m|min|mins|minutes?|d|days?|w|wks?|weeks?|months?|pd|person-?days?|man-?days?|sp|pts?|points?|"
    "story points?|std\\.?|stunden?|minuten?|tage?n?|wochen?|heures?|jours?|semaines?|horas?|días?|dias?|semanas?|"
    "minutos?|ore|ora|giorn[oi]|settiman[ae]|час(?:а|ов)?|ч|мин(?:ут[аы]?)?|дн(?:я|ей)?|день|недел[яьи]|годин[аи]?|"
    "godzin[ay]?|dni|dzień|saat|gün|hafta|小时|小時|分钟|分鐘|天|周|時間|分|日|週間?|人日|人天|시간|분|일|주"
)
