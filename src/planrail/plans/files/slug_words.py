"""The words that names of plan files are made of, and those that say too little to be in one."""

_ADJECTIVES = """
    able agile amber bold brave breezy bright brisk calm candid cheery clear clever cosy crisp curious daring deft eager
    early fair fleet fond frank fresh gentle glad golden happy hardy honest humble jolly keen kind lively lucid lucky
    mellow merry mild neat nimble noble patient plucky polite proud quick quiet ready rosy sage silver smart snug sunny
    swift tidy trusty vivid warm wise witty zesty
"""

_NOUNS = """
    acorn anchor badger beacon birch bison breeze brook canyon cedar clover comet coral crane creek daisy dolphin ember
    falcon fern finch fjord fox garnet glade harbor heron ibis island juniper kite lagoon lantern lark lemur lynx maple
    marten meadow nutmeg oak orchid otter owl panda pebble pine plover puffin quail raven reef river robin sparrow
    spruce stork summit swan thistle tiger tulip walnut willow wren
"""

# Words of every sentence, of politeness, and of asking for a plan. Not "not": a name must not say the opposite.
_STOP_WORDS = """
    a an the this that these those it its is are was were be been being am do does did done have has had having
    i me my mine we us our ours you your yours he she him his her they them their there here
    and or but nor so if then than as at by for from in into of off on onto out over per to under up upon via with
    within will would shall should can could may might must let lets id ill im ive youre
    what which who whom whose when where why how some any all each every both few more most other such only own
    same too very just also about again once now please kindly thanks thank hi hello hey want wants need needs like
    plan planning plans make sure etc eg ie vs

    der die das den dem des ein eine einen einem einer eines und oder aber ist sind war im am zu zum zur von vom mit für
    auf bitte wir ich du sie er es uns mir mich dass wie was

    le la les un une des du de et ou mais est sont dans sur pour par avec que qui ce cette ces je tu il elle nous vous
    mon ma mes notre plaît sil svp

    el los las unos unas y o pero es son en con por para se lo su sus mi mis al del nos por favor que

    um uma os as e ou mas com na nos nas do da dos das ao

    il lo gli uno di da e o ma per su con che si

    и в во на с со по для из к у от что как это мы я
"""

ADJECTIVES = tuple(_ADJECTIVES.split())
NOUNS = tuple(_NOUNS.split())
STOP_WORDS = frozenset(_STOP_WORDS.split())
