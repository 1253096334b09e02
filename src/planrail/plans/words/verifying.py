"""The words of headings and labels that announce verification: "How to test", "Automated checks". Data only."""

from planrail.plans.words.words import word_set, words

# One of these makes it an announcement ...
ANNOUNCING = word_set(
    "verification|verifications|verify|verifying|verified|check|checks|checking|test|tests|testing|validation|"
    "validate|validating|qa|"
    "überprüfung|verifikation|verifizierung|prüfung|prüfen|testen|testplan|absicherung|vérification|vérifications|"
    "vérifier|valider|"
    "verificación|verificaciones|verificar|pruebas|prueba|comprobación|comprobaciones|validación|verificação|"
    "verificações|testes|teste|"
    "validação|verifica|verifiche|verificare|prova|prove|проверка|проверки|проверить|тестирование|тест|тесты|"
    "верификация|"
    "перевірка|тестування|weryfikacja|testy|doğrulama|testler|verificatie|testning|verifiering"
)
# ... where all others are among these.
BESIDE = word_set(
    "plan|plans|step|steps|command|commands|strategy|automated|automatic|auto|how|to|and|the|of|for|with|by|in|after|"
    "each|all|final|local|"
    "end|e|unit|integration|smoke|regression|acceptance|quality|gate|gates|run|running|suite|suites|full|protocol|"
    "approach|procedure|"
    "success|build|lint|linting|typecheck|type|types|static|analysis|ci|sanity|pre|commit|before|merge|this|these|"
    "following|it|that|works|"
    "work|changes|change|implementation|expected|results|required|then|execute|following|everything|nothing|broke|is|"
    "our|done|code|coverage|"
    "und|der|die|das|wie|zur|zum|mit|schritte|befehle|automatische|automatisierte|abschließende|et|de|des|du|la|le|"
    "les|comment|avec|étapes|"
    "commandes|automatisés|y|el|los|las|cómo|con|pasos|comandos|automáticas|automáticos|e|o|os|as|como|com|passos|"
    "automatizados|"
    "automatizadas|come|passi|comandi|и|как|план|шаги|команды|i|jak|kroki"
)
BY_HAND = word_set(
    "manual|manually|visual|visually|browser|exploratory|device|human|manuell|manuelle|manueller|manuel|manuelle|"
    "manuels|manuales|"
    "manualmente|manuais|manuale|manuali|вручную|ручная|ручное|ręczne"
)
RUN_WORDS = word_set(
    "run|runs|running|execute|command|commands|ausführen|exécuter|ejecutar|executar|eseguire|запустить"
)
# Chinese, Japanese and Korean: a part of a short heading.
OTHER_SCRIPTS = words("验证|驗證|検証|검증|测试|測試|テスト|테스트|確認方法|动作确认|動作確認|확인 방법")
