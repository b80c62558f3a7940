"""Lines as people write them, and what to write instead: the first pattern that fits a whole line counts.

Pieces of patterns: {thing} and {place} are names, {hand} a hand, {hands} one or both, {n} a number, {point} numbers in
brackets, {way} a direction, {task} the name of a task, {any} anything. Lines that are suggested are parted by " / ".
"""

from __future__ import annotations

TWO_COMMANDS = "every command has a line of its own"  # they are made of both halves of the line
OTHER_WORDS = "write"  # the rest of the line, which is looked at anew
_TAKE = "(?:take|grab|grasp|get|fetch|catch|hold|lift|seize|pick up|pick|lift up)"
_BESIDE = "(?:next to|beside|near|behind|before|in front of|under|below|left of|right of)"
_TIMES = "(?P<n>\\d+|twice|thrice|two|three)(?: times)?"
_SECONDS = "(?: ?s| ?sec| ?secs| ?seconds?)"
_STUFF = "(?:some |the )?(?:coffee|tea|water|milk|juice|wine|beer)"
_AFTER, _WHEN = "(?:after|later than)", "(?:when|once|as soon as|at|on|if)"
_ENDED = "(?:is done|is over|finish|finishes|finished|stops|stopped|completes|ends?|ended|has ended|is finished)"
_STARTED = "(?:begins?|starts?|started|has started|has begun)"
_REST = "(?:rest|home|neutral|idle|the start|start|normal)(?: pose| position| posture)?"
_LENGTH = "(?: ?(?:cm|mm|m|meters?|metres?|steps?|units?))?"
_GOES_TO_REST = "hands go to rest by themselves where no task needs them; write: wait until done"
_SLOW, _FAST = "(?:slow|slowly|gently|carefully)", "(?:fast|quick|quickly|faster)"
_PART = "(?:head|nose|mouth|chin|hair|face|ear)"
IDIOMS: tuple[tuple[str, str], ...] = (
    # names and numbers as other languages write them
    ("(?P<name>speed|grip|curve|overlap|clearance) ?[:=] ?(?P<value>[\\w.]+)", "write: set {name} {value}"),
    ("\\w+\\.\\w+ ?\\(.*\\)", "commands have no dots and brackets, as in: take cup with left"),
    ("(?P<name>seed|fps|body|environment|physics|balance) ?[:=] ?(?P<value>.+)", "write: {name} {value}"),
    ("(?:random seed|seed number) {n}", "write: seed {n}"),
    ("(?:frame ?rate|framerate) {n}(?: ?fps)?", "write: fps {n}"),
    ('(?:character|actor|puppet) (?P<value>[\\w."]+)', "write: body {value}"),
    ("(?:let |const |var )?(?P<name>[a-z_]\\w*) ?:?= ?(?P<value>[\\w.]+)", "write: let {name} = {value}"),
    ("(?:label|task|name|let) (?P<name>[a-z_]\\w*) ?[:=] ?{any}", "write: {name}: {any}"),
    ("(?P<name>[a-z_]\\w*) ?= ?(?P<any>[a-z]+ .+)", "write: {name}: {any}"),
    ('from (?P<name>[\\w."]+) import .+', 'write: import "{name}.puppet"'),
    ("(?:camera|view|zoom)\\b.*", "the camera is an option of the command: puppet run SCRIPT -o OUT --camera front"),
    # who does it
    (
        "(?:the |a )?(?:character|puppet|person|he|she|they|actor|robot|man|woman|boy|girl) "
        "(?P<any>[a-z]*(?:ch|sh)(?=es)|[a-z]+?)(?:(?<=h)es|s)?(?P<any2> .+)?",
        OTHER_WORDS,
    ),
    ("with {hands},? (?P<any>[a-z].+)", "write: {any} with {hands}"),
    ("{any} with (?:2|two)(?: hands?| arms?)", "write: {any} with both hands"),
    # when, in other words
    (
        f"{{any}},? {{n}}{_SECONDS} {_AFTER} {{task}}(?: (?P<how>starts|ends))?",
        "write: {any}, when {task} {how|ends} + {n}s",
    ),
    (
        f"{{any}},? {{n}}(?: frames?)? {_AFTER} {{task}}(?: (?P<how>starts|ends))?",
        "write: {any}, when {task} {how|ends} + {n}",
    ),
    (
        f"{{any}},? {{n}}{_SECONDS} before {{task}}(?: (?P<how>starts|ends))?",
        "write: {any}, when {task} {how|starts} - {n}s",
    ),
    (
        "{any},? {n}(?: frames?)? before {task}(?: (?P<how>starts|ends))?",
        "write: {any}, when {task} {how|starts} - {n}",
    ),
    (
        f"(?!lock|unlock|release){{any}},? {_WHEN} (?!left|right|done){{task}} {_ENDED}",
        "write: {any}, when {task} ends",
    ),
    (
        f"(?!lock|unlock|release){{any}},? {_WHEN} (?!left|right|done){{task}} {_STARTED}",
        "write: {any}, when {task} starts",
    ),
    (
        f"{{any}},? when {{task}} (?P<how>starts|ends) ?(?P<sign>[+-]?) ?(?P<n>\\d+),(?P<n2>\\d+){_SECONDS}",
        "a point parts a number: {any}, when {task} {how} {sign|+} {n}.{n2}s",
    ),
    (
        f"{{any}},? when {{task}} (?P<how>starts|ends) ?(?P<sign>[+-]?) ?{{n}}{_SECONDS}",
        "write: {any}, when {task} {how} {sign|+} {n}s",
    ),
    (
        "{any},? when {task} (?P<how>starts|ends) ?(?P<sign>[+-]?) ?{n}(?: frames?)?",
        "write: {any}, when {task} {how} {sign|+} {n}",
    ),
    ("{any} until {task} (?P<how>starts|ends) with {hands}", "write: {any} with {hands}, until {task} {how}"),
    (f"(?P<any>wave|scratch head|check watch) {_TIMES} with {{hands}}", "write: repeat {n} / {any} with {hands} / end"),
    (
        f"(?P<any>wave|scratch head|check watch|drink|pour) {_SLOW} with {{hands}}",
        "write: {any} with {hands}, speed 60",
    ),
    (
        f"(?P<any>wave|scratch head|check watch|drink|pour) {_FAST} with {{hands}}",
        "write: {any} with {hands}, speed 15",
    ),
    ("wait (?:for )?a (?:moment|bit|while|little)", "write: wait 20"),
    ("wait (?:for )?(?:a|one) second", "write: wait 1s"),
    (
        "wait (?:for|until|till) {hand}(?: is)?(?: done| ready| free)?",
        "write: wait until done; or give its task a name: moving: ..., then: wait for moving",
    ),
    ("(?:keep|keep on|go on|continue) looking at {place}", "write: look at {place}"),
    ("stop looking(?: at {place})?", "write: look ahead"),
    (
        "stop \\w+ing\\b.*",
        "write: freeze, which drops everything; a gesture ends by itself: wave with left, until NAME ends",
    ),
    # both hands, and either
    (
        "{any} with (?:the |my )?left(?: hand)? (?:and|&) (?:the |my )?right(?: hand)?",
        "write: {any} with both hands",
    ),
    ("{any} with (?:the |my )?left(?: hand)? or (?:the |my )?right(?: hand)?", "write: {any} with either hand"),
    (
        f"{_TAKE} {{thing}} and {{thing2}}(?: with both hands)?",
        "write: take {thing} with left / take {thing2} with right",
    ),
    (
        f"{_TAKE} (?:both|two|all|the two) {{thing}}(?: with both hands)?",
        "each hand takes one thing by its name: take NAME with left / take NAME with right",
    ),
    (
        "(?:swap|exchange|switch) {thing} (?:and|with) {thing2}",
        "there is no word for that; put one aside first: put {thing} on space NAME",
    ),
    ("(?:both hands|(?:the )?left(?: hand)? and (?:the )?right(?: hand)?) {any}", "write: {any} with both hands"),
    # a hand as the one who does it
    ("{hand} (?:takes?|grabs?|grasps?|gets?|picks? up|holds?) {thing}", "write: take {thing} with {hand}"),
    ("{hand} (?:reach|reaches|touches|touch)(?: for)? {thing}", "write: reach {thing} with {hand}"),
    ("{hand} points? (?:at|to) {thing}", "write: point at {thing} with {hand}"),
    ("{hand} waves?", "write: wave with {hand}"),
    ("{any}(?:,? and then|,? then|,? and| &) {any2}", TWO_COMMANDS),
    ("(?:then|now|next|please) {any}", "write: {any}"),
    (
        "(?:go home|return|rest|relax|put (?:the )?hands down|idle|reset|(?:lower|drop) (?:both |the )?(?:hands|arms)"
        f"|(?:rest|relax) (?:(?:both |the )?(?:hands|arms)|{{hand}})"
        f"|(?:go|return|come|get|move)(?: {{hand2}})?(?: back)? to {_REST})",
        _GOES_TO_REST,
    ),
    ("do nothing(?: for {n}(?: frames?)?)?", "write: wait {n|20}"),
    # conditions and loops of other languages
    (
        "for (?P<name>[a-z_]\\w*) in (?:range ?\\((?:\\d+, ?)?(?P<n>\\d+)\\)|\\d+ ?(?:\\.\\.+|to|-) ?(?P<n2>\\d+)):?",
        "write: repeat {n|}{n2|} as {name}, then the lines, then: end",
    ),
    ("for .+", "write: repeat 3 as n, then the lines, then: end"),
    (
        "repeat (?:forever|always|endlessly|infinitely)",
        "write a number: repeat 100; a gesture may go on until NAME ends",
    ),
    ("repeat {n} times? {any}", "write: repeat {n} / {any} / end"),
    ("repeat (?!\\d){any}", "write: repeat 3 / {any} / end"),
    (
        "(?:if|else|elif|elseif|unless|while|switch|case)\\b(?! pour).*(?:==|<|>| is | not |holds?|:$).*",
        "there are no conditions; a task may wait for another one: nod, when pouring ends",
    ),
    (
        "(?:def|function|macro|proc|procedure|sub|func|fn) (?P<name>[a-z_]\\w*)(?: ?\\((?P<value>[^()]*)\\))?:?",
        "write: define {name}({value|}), then the lines, then: end",
    ),
    (
        "(?:sync|synchronize|parallel|together|simultaneously).*",
        "tasks go on together where the second one says: overlap full, or: when NAME starts",
    ),
    ("{any} random ?(?:from |between )?{n},? ?(?:and |to )?{n2}", "write: {any} random({n}, {n2})"),
    (
        "random ?(?:from |between )?{n},? ?(?:and |to )?{n2}",
        "a number is drawn where one stands: set speed random({n}, {n2})",
    ),
    ("set (?:the )?(?:random )?seed (?:to )?{n}", "write: seed {n}"),
    # taking, putting and giving
    (
        f"{_TAKE} (?:the )?(?:any|some|nearest|closest|next|another|one) {{thing}}(?: (?:with|in) {{hands}})?",
        "write: take nearest {thing} with {hands|either hand}",
    ),
    ("(?:the )?(?:nearest|closest) {thing}", "write: take nearest {thing} with either hand"),
    (
        "(?:reach|touch) (?:for )?(?:the )?(?:any|nearest|closest|next) {thing}(?: with {hands})?",
        "write: reach nearest {thing} with {hands|either hand}",
    ),
    ("(?:pick|lift|take|grab) {thing} up(?: with {hands})?", "write: take {thing} with {hands|left}"),
    ("hold {thing} for {n}(?: frames?)?(?: with {hands})?", "write: take {thing} with {hands|left} / wait {n}"),
    (f"hold {{thing}} for {{n}}{_SECONDS}(?: with {{hands}})?", "write: take {thing} with {hands|left} / wait {n}s"),
    (
        "(?:keep|keep on|go on|continue) holding {thing}(?: with {hands})?",
        "a hand holds what it took until: put {thing} on space NAME, or: release {hands|left}",
    ),
    (
        "(?:take|put|move|bring|pass|give|hand|transfer) {thing} from {hand2} to {hand}",
        "write: give {thing} to {hand}",
    ),
    ("{any} (?:using|by|via|w/|w|in) {hand}", "write: {any} with {hand}"),
    (
        "(?:hold|keep) {thing} (?:above|over|near|under|beside) {place}(?: with {hand})?",
        "take it, then say where: reach (0.1, 0.8, 0.3) with {hand|left}",
    ),
    (
        "(?:tip|empty) {thing}(?: (?:into|over) {place})?(?: with {hand})?",
        "write: pour {thing} into {place|THING} with {hand|left}",
    ),
    ("open {hand}", "write: release {hand}"),
    ("close {hand}", "write: lock {hand}"),
    ("lock {thing} (?:with|to|in) {hand}", "write: take {thing} with {hand}"),
    (
        "(?P<any>reach|take) (?:the )?nearest with {hands}",
        "write: {any} nearest KIND with {hands}, of the things that have this kind in the environment",
    ),
    (f"{_TAKE} {{thing}} (?:from|off|out of|on) {{place}} with {{hands}}", "write: take {thing} with {hands}"),
    (f"{_TAKE} {{thing}} with {{hands}}", "write: take {thing} with {hands}"),
    (f"{_TAKE} {{thing}} (?:in|into) {{hand}}", "write: take {thing} with {hand}"),
    ("(?:get|stand) up", "write: stand up"),
    ("(?:hold|stand|keep|stay) still", "write: freeze"),
    ("(?:hold|lift|raise) (?:both )?(?:hands|arms)", "write: slide left by (0, 0.1, 0), and the same for right"),
    ("(?:lift|raise|lift up|raise up) {hand}(?: by {n})?", "write: slide {hand} by (0, {n|0.1}, 0)"),
    ("(?:lower|sink) {hand}(?: by {n})?", "write: slide {hand} by (0, -{n|0.1}, 0)"),
    (
        f"(?:slide|move|bring|shift|push) {{hand}} (?:to the )?{{way}}(?: by)?(?: {{n}}{_LENGTH})?",
        "write: slide {hand} by {way}",
    ),
    (
        f"(?:slide|move|bring|shift|push) {{hand}} (?:by )?{{n}}{_LENGTH} (?:to the )?{{way}}",
        "write: slide {hand} by {way}",
    ),
    ("(?:slide|move|bring|shift) {hand} by (?P<by>\\(.+\\))", "write: slide {hand} by {by}"),
    (
        f"(?:slide|move|shift|push|pull|drag|carry) {{thing}} (?:to the )?{{way}}(?: by)?(?: {{n}}{_LENGTH})?",
        "take it, then write: slide left by {way}",
    ),
    (
        f"(?:slide|move|shift|push|pull|drag|carry) {{thing}} (?:by )?{{n}}{_LENGTH} (?:to the )?{{way}}",
        "take it, then write: slide left by {way}",
    ),
    (
        f"(?:lift|raise|hold)(?: up)? {{thing}}(?: up)? by {{n}}{_LENGTH}(?: with {{hand}})?",
        "take it, then write: slide {hand|left} by (0, {n}, 0)",
    ),
    (
        "(?:pull|draw|bring) {thing} (?:towards?|to) (?:you|me|oneself|yourself|the body)(?: with {hand})?",
        "take it, then write: slide {hand|left} by (0, 0, -0.1)",
    ),
    (
        "shake {thing} with {hand}",
        "take it, then write: repeat 3 / slide {hand} by (0, 0.03, 0), speed 5 / slide {hand} by (0, -0.03, 0), speed 5"
        " / end",
    ),
    (f"{_TAKE} {{thing}} {{hand}}", "write: take {thing} with {hand}"),
    (f"{_TAKE} {{thing}}", "write: take {thing} with left"),
    ("(?:drop|release|let go of|free|put down|lay down|set down) {hand}", "write: release {hand}"),
    ("(?:let go|release|drop|unlock|release (?:all|everything))", "write: release left, or: release both hands"),
    ("(?:drop|release|let go of|let {thing2} go) ?{thing}?", "write: release left, or: put {thing|cup} on a space"),
    ("(?:put|lay|set|place) {thing} (?:down|back) (?:on|onto) {place}", "write: put {thing} on {place}"),
    (
        "(?:put|lay|set|place|move|bring) {thing} (?:at|on|to) {point}",
        "write: reach {point} with left / release left, with the hand that holds it",
    ),
    ("stack {thing}, {thing2}(?:,? .*)?", "one on the other: take {thing} with left / put {thing} on {thing2}"),
    ("(?:put|lay|set) (?:down )?{thing} (?:down|back|away)", "say where: put {thing} on space NAME, or on a thing"),
    ("(?:put|lay|set) down {thing}", "say where: put {thing} on space NAME, or on a thing"),
    ("(?:put|place|lay) {hand} on {place}", "write: reach space NAME with {hand}, or: reach (x, y, z) with {hand}"),
    ("(?:put|place|lay|give|hand|pass) {thing} (?:in|into|to|on) {hand}", "write: give {thing} to {hand}"),
    (
        f"(?:put|place|lay|move) {{thing}} {_BESIDE} {{place}}",
        "things stand on spaces and on things: put {thing} on space NAME",
    ),
    (
        "(?:put|place|lay|stack|set|leave) {thing} (?:in|into|onto|at|above|over|on|upon|on top of) {place}",
        "write: put {thing} on {place}",
    ),
    ("(?:move|bring|reach|send|stretch) {hand} (?:out )?(?:to|towards?) {point}", "write: reach {point} with {hand}"),
    (
        "(?:move|bring|reach|send|stretch) {hand} (?:out )?(?:to|towards?|on) {place}",
        "write: reach {place} with {hand}",
    ),
    (
        "(?:bring|move|carry) {thing} to (?:the )?(?:mouth|lips|face)(?: with {hand})?",
        "write: drink from {thing} with {hand|left}",
    ),
    ("(?:move|bring|carry|take) {thing} to {place}(?: with {hand})?", "take it, then write: put {thing} on {place}"),
    ("(?:stack|store|leave) {thing}", "write: put {thing} on another thing, or: put {thing} on space NAME"),
    (
        "(?:push|pull|shove) {thing}(?: by (?P<by>\\(.+\\)))?(?: with {hand})?",
        "take it, then write: slide {hand|left} by {by|(0, 0, 0.1)}",
    ),
    ("slide {thing} by (?P<by>\\(.+\\))", "a hand slides, with what it holds: slide left by {by}"),
    # the head
    (f"look at {{place}} for {{n}}{_SECONDS}", "write: look at {place} / wait {n}s / look ahead"),
    ("look at {place} for {n}(?: frames?)?", "write: look at {place} / wait {n} / look ahead"),
    ("look (?P<way>left|right|up|down)", "write: look at {way}"),
    ("look (?:away|around|forwards?|straight|straight ahead|front)", "write: look ahead"),
    ("look (?:at )?(?:the )?(?:camera|viewer|audience|me|us)", "write: look ahead, or at a point: look at (0, 1, 3)"),
    (
        "(?:look|gaze|stare|glance|watch|see|face) (?:at|to|towards?|on|over at|into)? ?{place} with {hand}",
        "write: look at {place}",
    ),
    (
        "(?:look|gaze|stare|glance|watch|see|face) (?:to|towards?|on|over at|into|at)? ?{place}",
        "write: look at {place}",
    ),
    ("(?:turn|rotate|move) (?:the )?head (?:to|towards?) {place}", "write: look at {place}"),
    (
        "(?:turn|rotate|tilt|move|bend) (?:the )?head(?: (?P<side>\\w+))?",
        "write: pose head at (0, 30, 0), in degrees about x, y, z",
    ),
    (f"(?P<any>nod|shake head) {_TIMES}", "write: repeat {n} / {any} / end"),
    ("(?P<any>nod|shake head) with {hand}", "write: {any}"),
    # pointing, reaching and gestures
    ("point (?:to|towards?|at) {place} with {hands}", "write: point at {place} with {hands}"),
    ("point {hand} (?:to|towards?|at) {place}", "write: point at {place} with {hand}"),
    ("point (?P<way>left|right|up|down)(?: with {hands})?", "write: point at {way} with {hands|right}"),
    ("(?:point|show|indicate) (?:to|towards?|at)? ?{place}", "write: point at {place} with right"),
    ("reach (?:for|to|towards?|out to|out for|at) {thing} with {hands}", "write: reach {thing} with {hands}"),
    ("reach {n}, ?{n2}, ?{n3} with {hands}", "write: reach ({n}, {n2}, {n3}) with {hands}"),
    ("reach {thing} {hand}", "write: reach {thing} with {hand}"),
    ("{any},? from (?:above|the top|top)", "write: {any}, grip top"),
    ("{any},? from (?:below|beneath|the bottom|under)", "write: {any}, grip bottom"),
    ("{any},? from (?:the |one )?sides?", "write: {any}, grip side"),
    ("(?:reach|stretch) out(?: with)? {hands}", "say where: reach (0.1, 0.8, 0.5) with {hands}"),
    (
        "(?:touch|tap|knock on|press|hit|pat|feel) (?:the )?(?:table|desk)(?: with {hand})?",
        "a point of it: reach (0.1, 0.62, 0.3) with {hand|left}",
    ),
    (f"touch (?:the )?{_PART} with {{hand}}", "write: scratch head with {hand}"),
    ("(?:touch|tap|approach|pat|feel) {thing} with {hands}", "write: reach {thing} with {hands}"),
    (
        "(?:reach|touch)(?: (?:for|to|out))?(?: {thing})?",
        "say which thing and which hand: reach {thing|THING} with left",
    ),
    ("wave (?:the |your )?(?:hand|arm) with {hands}", "write: wave with {hands}"),
    ("(?:wave|scratch head|check watch) {hand}", "write: {first} with {hand}"),
    ("(?:wave|say) (?:hello|goodbye|hi|bye)(?: with {hand})?", "write: wave with {hand|right}"),
    ("wave (?:at|to) {place}(?: with {hand})?", "write: look at {place} / wave with {hand|right}"),
    ("greet(?: {place})?(?: with {hand})?", "write: look at {place|THING} / wave with {hand|right}"),
    ("(?:wave|scratch head|check watch)", "write: {first} with left"),
    (
        f"drink (?:something|{_STUFF})(?: (?:from|out of) {{thing}})?(?: with {{hand}})?",
        "write: drink from {thing|cup} with {hand|left}",
    ),
    (
        f"pour {_STUFF} from {{thing}} (?:in|into|to|over) {{place}}(?: with {{hand}})?",
        "write: pour {thing} into {place} with {hand|left}",
    ),
    (
        f"(?:pour {_STUFF} (?:in|into|to|over)|fill) {{place}}(?: with {{hand}}| with {_STUFF})?",
        "write: pour pot into {place} with {hand|left}",
    ),
    ("(?:drink|sip|slurp|gulp|taste) (?:from |out of )?{thing} with {hand}", "write: drink from {thing} with {hand}"),
    ("(?:drink|sip|slurp|gulp|taste)(?: from| out of)?(?: {thing})?", "write: drink from {thing|cup} with left"),
    ("pour {thing} (?:in|on|onto|over|to) {place} with {hand}", "write: pour {thing} into {place} with {hand}"),
    ("pour(?: {thing})? (?:in|into|onto|over|to) {place}", "write: pour {thing|pot} into {place} with left"),
    (
        "(?:turn|switch) (?:off {thing}|{thing2} off)(?: with {hand})?",
        "a switch is only pressed: turn on {thing|}{thing2|} with {hand|right}",
    ),
    ("(?:turn|switch) {thing} (?:on|off)(?: with {hand})?", "write: turn on {thing} with {hand|right}"),
    ("(?:turn|switch) (?:on|off) {thing}(?: with {hand})?", "write: turn on {thing} with {hand|right}"),
    (
        "press {thing}(?: with {hand})?",
        "write: reach {thing} with {hand|right}; a lamp has: turn on {thing} with right",
    ),
    # the whole body
    ("crouch down", "write: crouch"),
    ("hang (?:on|from|at) {place}", "write: swing from {place}"),
    ("turn left(?: by)? {n}(?: degrees?)?", "write: turn by {n}"),
    ("turn right(?: by)? {n}(?: degrees?)?", "write: turn by -{n}"),
    (f"(?:jump|hop|leap) forwards?(?: by)?(?: {{n}}{_LENGTH})?", "write: jump to (0, {n|0.8}), height 0.3"),
    (
        f"(?:walk|go|run|step|move)(?: forwards?)?(?: by)? {{n}}{_LENGTH}(?: forwards?)?",
        "write: walk to (0, {n}): x and z on the floor, z is ahead",
    ),
    ("sit(?: on {place})?", "write: sit down"),
    ("stand", "write: stand up"),
    (
        "(?:walk|go|run|step|move) (?P<side>forwards?|back|backwards?|left|right)(?: {any})?",
        "write: walk to (0, 1): x and z on the floor, z is ahead",
    ),
    (
        f"(?:walk|go|run) {_TIMES}(?: steps?| meters?| metres?)?",
        "write: walk to (0, 1): x and z on the floor, z is ahead",
    ),
    ("(?:walk|run|go|stroll) (?:to |towards? )?{place}", "write: walk to {place}"),
    ("turn left", "write: turn by 90"),
    ("turn right", "write: turn by -90"),
    ("turn (?:around|round|about|back)", "write: turn by 180"),
    ("(?:turn|rotate) {n}(?: degrees?)?", "write: turn by {n}"),
    ("(?:turn|rotate) {hand}", "write: slide {hand} by (0, 0, 0) turn (0, 45, 0)"),
    (
        "(?:turn|rotate|twist) (?:the |my )?(?P<hand>left|right) (?:hand|arm)(?: by)? {n}(?: degrees?)?",
        "write: slide {hand} by (0, 0, 0) turn (0, {n}, 0)",
    ),
    (
        "(?:turn|rotate|tilt|twist|flip|spin) {thing}(?: (?:upside down|over|around|by {n}(?: degrees?)?))?"
        "(?: with {hand})?",
        "take it, then write: slide {hand|left} by (0, 0, 0) turn (0, {n|45}, 0)",
    ),
    ("(?:jump|hop|leap)(?: up| high)?", "write: jump to (0, 0.8), height 0.3"),
    # time
    ("(?:at|@) ?0+:0?{n}", "write: at {n}s"),
    ("(?:at|@) ?\\d+:.+", "times are frames, as in: at 90, or seconds, as in: at 3s"),
    ("@ ?{n}", "write: at {n}"),
    (f"(?:at|@) {{n}}{_SECONDS}:? {{any}}", "write: at {n}s / {any}"),
    ("(?:at|@) (?:frame )?{n}:? {any}", "write: at {n} / {any}"),
    (f"{{any}},? at (?:frame |time )?{{n}}{_SECONDS}", "write: at {n}s / {any}"),
    ("{any},? at (?:frame |time ){n}", "write: at {n} / {any}"),
    (f"(?:wait|pause|sleep|delay|rest)(?: for)? {{n}}{_SECONDS}", "write: wait {n}s"),
    ("(?:wait|pause|sleep|delay|rest)(?: for)? {n}(?: ?frames?| ?f)?", "write: wait {n}"),
    ("wait (?:until|till|for) {task} (?:ends|is done|is over|has ended|stops|finishes)", "write: wait for {task}"),
    (f"at (?:frame |time |second )?{{n}}{_SECONDS}", "write: at {n}s"),
    ("at (?:frame |time ){n}(?: frames?)?", "write: at {n}"),
    ("(?:while|during) {task}(?: ends| starts| is going on)?,? {any}", "write: {any}, when {task} starts"),
    ("(?:after|when) {task}(?: ends| is done)?,? {any}", "write: {any}, when {task} ends"),
    ("{any},? (?:while|during) {task}(?:ing)?", "write: {any}, when {task} starts"),
    ("{any},? after {task}(?: ends| is done)?", "write: {any}, when {task} ends"),
    ("{any},? before {task}(?: starts| begins)?", "write: {any}, when {task} starts - 20"),
    ("(?P<any>(?:lock|unlock|release) [^,]+),? when {task} ends", "it has its own moment: wait for {task} / {any}"),
    ("{any},? (?P<edge>when|until) {task} (?P<how>starts|ends)", "write: {any}, {edge} {task} {how}"),
    ("{any}, when {task}", "write: {any}, when {task} ends, or: starts"),
    (f"{{any}}, when {{any2}} {{n}}{_SECONDS}", "write: {any}, when {any2} {n}s"),
    (
        f"{{any}},? (?:in|for|over|within|duration|time|lasts?|takes?|length) {{n}}{_SECONDS}",
        "write: {any}, speed {n}s",
    ),
    (
        "{any},? (?:in|for|over|within|duration|time|lasts?|takes?|length|frames) {n}(?: frames?)?",
        "write: {any}, speed {n}",
    ),
    ("{any}, at {n}", "the time has a line of its own, before it: at {n} / {any}"),
    ("{any}, until {n}", "'until' names a task: name: ..., then {any}, until name ends"),
    ("{any},? until done", "write: {any} / wait until done"),
    (f"(?:{_SLOW}) {{any}}", "write: {any}, speed 60"),
    (f"(?:{_FAST}) {{any}}", "write: {any}, speed 15"),
    (f"{{any}},? (?:speed )?{_SLOW}", "write: {any}, speed 60"),
    (f"{{any}},? (?:speed )?{_FAST}", "write: {any}, speed 15"),
    ("{any}(?<!,) (?P<name>speed|grip|curve|overlap|clearance) (?P<value>[\\w.]+)", "write: {any}, {name} {value}"),
    (f"{{any}},? (?:speed )?{{n}}{_SECONDS}", "write: {any}, speed {n}s"),
    (
        "(?!set ){any},? (?P<name>speed|grip|curve|overlap|clearance) ?[:=] ?(?P<value>[\\w.]+)",
        "write: {any}, {name} {value}",
    ),
    ("{any},? smoothly", "write: {any}, curve smooth"),
    # settings, numbers and blocks
    (f"set speed (?:to )?{_SLOW}", "a speed is a number of frames: set speed 60"),
    (f"set speed (?:to )?{_FAST}", "a speed is a number of frames: set speed 15"),
    ("set (?P<name>\\w+) to (?P<value>[\\w.]+)", "write: set {name} {value}"),
    ("(?P<name>speed|grip|curve|overlap|clearance) (?:= ?)?(?P<value>[\\w.]+)", "write: set {name} {value}"),
    ("(?:let )?(?P<name>[a-z_]\\w*) (?:=|to|be) (?P<value>[\\w.]+)", "write: let {name} = {value}"),
    ("let (?P<name>[a-z_]\\w*) (?P<value>[\\d.]+)", "write: let {name} = {value}"),
    ("(?:repeat|loop|for|do) {n}(?: times)?", "write: repeat {n}, then the lines, then: end"),
    ("{any},? (?:cycles|times) {n}", "write: repeat {n} / {any} / end"),
    ("{any},? (?P<n>\\d+ times|twice|thrice)", "write: repeat {n} / {any} / end"),
)
