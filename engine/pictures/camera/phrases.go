package camera

import (
	"strings"
	"sync"
)

// entry is a phrase of the vocabulary.
type entry struct {
	words []string
	Mark
	// only tells whether the phrase means what it seems to, at token i up to end.
	only func(r *reader, i, end int) bool
}

// line is how the vocabulary is written down: phrases between bars.
type line struct {
	axis     Axis
	is, fits string // keys; fits also holds those of is, and "*" all
	group    int
	form     byte
	weak     bool
	only     func(*reader, int, int) bool
	phrases  string
}

var vocabulary = sync.OnceValue(func() map[string][]entry {
	out := map[string][]entry{}
	for _, l := range lines() {
		m := Mark{Axis: l.axis, is: set(l.axis, l.is), group: l.group, weak: l.weak, form: l.form}
		if m.fits = m.is | set(l.axis, strings.ReplaceAll(l.fits, "*", "")); strings.Contains(l.fits, "*") {
			m.fits = all
		}
		if rest, not := strings.CutPrefix(l.fits, "-"); not { // all but those
			m.fits = all &^ set(l.axis, rest)
		}
		for p := range strings.SplitSeq(l.phrases, "|") {
			w := strings.Fields(p)
			if len(w) > 0 {
				out[w[0]] = append(out[w[0]], entry{w, m, l.only})
			}
		}
	}
	return out
})

// heads are what words of size and angle stand before.
const heads = "shot|shots|view|framing|frame|portrait|photo|photograph|picture|image|perspective|composition"

// with puts each of some beginnings before each of some heads.
func with(begins, ends string) string {
	var out []string
	for b := range strings.SplitSeq(begins, "|") {
		for e := range strings.SplitSeq(ends, "|") {
			out = append(out, b+" "+e)
		}
	}
	return strings.Join(out, "|")
}

func lines() []line {
	return append(append(append(sizes(), angles()...), lightLines()...), optics()...)
}

func sizes() []line {
	shots := "shot|shots|framing|portrait|photo|photograph|view"
	size := func(is, fits, phrases string) line {
		return line{axis: Size, is: is, fits: fits, form: 'n', only: aimed, phrases: phrases}
	}
	return []line{
		size("extreme-wide", "", with("extreme wide|extremely wide|very wide|ultra wide|extreme long|extremely long|very long|vast wide", "shot|shots|framing|view")),
		size("extreme-wide wide", "", with("establishing|panoramic", "shot|shots|framing|view|image|composition")),
		size("wide", "", with("wide|long|master|wide establishing", "shot|shots|framing")),
		size("medium-wide", "", with("medium wide|mid wide|medium long|mid long|medium full|american|cowboy|three quarter|three quarters|three quarter length|knee length", "shot|shots|framing|portrait")),
		size("full", "wide", "full shot|full shots|full framing|"+with("full length|full body|full figure|head to toe|head to foot", shots)),
		size("medium", "", with("medium|mid|midrange|mid range|medium range|waist|waist up|half length|half body|half figure|medium two|mid two", shots)),
		size("medium-close", "", "medium close up|medium close ups|medium closeup|mid close up|"+with("medium close|mid close|bust|chest up|chest|head and shoulders|shoulders up", shots)),
		size("close", "", "close up|close ups|closeup|closeups|tight close up|big close up|"+with("close|tight|close in|tightly framed|face", "shot|shots|framing|portrait")),
		size("detail", "", "extreme close up|extreme close ups|extreme closeup|extremely close up|macro close up|detail close up|"+with("extreme close|extremely close|extremely tight|extreme tight|macro|detail|insert", "shot|shots|framing|view")),
		{axis: Size, is: "medium", form: 'a', only: framed, phrases: "waist up|the waist up|waist upwards|the waist upwards"},
		{axis: Size, is: "medium-wide", form: 'a', only: framed, phrases: "the knees up|knees up|the knee up|the thighs up|mid thigh up|the hips up"},
		{axis: Size, is: "medium-close", form: 'a', only: framed, phrases: "head and shoulders|the chest up|chest up|the shoulders up|shoulders up"},
		{axis: Size, is: "full wide", fits: "extreme-wide", form: 'a', only: framed, phrases: "head to foot|head to toe|head to feet|whole figures"},
		{axis: Size, is: "extreme-wide wide", form: 'a', only: framed, phrases: "small in the frame|tiny in the frame|small in their surroundings|tiny against the landscape"},
		{axis: Size, is: "close detail medium-close", form: 'v', only: faces, phrases: "fills the frame|fill the frame|filling the frame|fills most of the frame|fill most of the frame|fills the whole frame|fills the entire frame"},
	}
}

func angles() []line {
	views := heads + "|angle|viewpoint|camera|vantage point|vantage"
	angle := func(is, fits string, group int, form byte, only func(*reader, int, int) bool, phrases string) line {
		return line{axis: Angle, is: is, fits: fits, group: group, form: form, only: only, phrases: phrases}
	}
	return []line{
		angle("eye", "", height, 'a', levelled, "eye level|eye height|the height of their eyes|the height of her eyes|the height of his eyes|their eye level|her eye level|his eye level"),
		angle("eye", "", height, 'n', levelled, with("eye level|eye height|straight on|head on", views)),
		angle("low", "ground", height, 'n', nil, "below eye level|slightly below eye level|just below eye level|beneath eye level|under eye level|worms eye|worms eye view|"+with("below eye level|worms eye", views)),
		angle("high", "overhead", height, 'n', nil, "above eye level|slightly above eye level|just above eye level|over eye level|"+with("above eye level", views)),
		angle("low", "ground", height, 'n', unlit, "low angle|low angles|low angled|lower angle|upward angle|"+with("low angle|low angled|low|lower|upward", views)),
		angle("high", "overhead", height, 'n', unlit, "high angle|high angles|high angled|elevated angle|downward angle|"+with("high angle|high angled|high|elevated|raised|downward", views)),
		angle("low", "ground", height, 'a', seen, "below|beneath|underneath|slightly below|just below|down low"),
		angle("high", "overhead", height, 'a', seen, "above|slightly above|just above|high above|up high|a height"),
		angle("low", "ground", height, 'v', looks, "looking up|looks up|look up|pointing up|points up|gazing up|aimed up|aiming up|tilted up|angled up|angled upward|angled upwards|tilted upward"),
		angle("high", "overhead", height, 'v', looks, "looking down|looks down|look down|pointing down|points down|gazing down|aimed down|aiming down|tilted down|angled down|angled downward|angled downwards|tilted downward|peering down"),
		angle("overhead high", "", height, 'n', nil, "birds eye|birds eye view|"+with("birds eye|aerial", views)),
		angle("overhead", "", height, 'n', nil, "gods eye view|top down|flat lay|"+with("overhead|top down|gods eye|directly overhead", views)),
		angle("overhead", "", height, 'a', seen, "straight above|directly above|right above|straight overhead|directly overhead|overhead|the ceiling|straight down"),
		angle("ground", "low", height, 'n', nil, with("ground level|floor level", views)),
		angle("ground", "low", height, 'a', seen, "ground level|floor level|the ground|the floor|floor height"),
		angle("ground", "low", height, 'a', lens, "close to the floor|close to the ground|on the floor|on the ground|near the floor|near the ground|low to the ground|low to the floor|just above the floor|just above the ground|at floor level|at ground level|down on the floor"),
		angle("dutch", "", roll, 'n', nil, "dutch angle|dutch tilt|tilted horizon|canted horizon|slanted horizon|canted angle|tilted frame|tilted angle|oblique angle|"+with("dutch|canted|dutch angle|tilted", "shot|view|framing|frame|camera|composition")),
		angle("dutch", "", roll, 'v', lens, "tilted|canted|tilts|tilted sideways"),
		angle("shoulder", "", side, 'n', nil, with("over the shoulder|over shoulder", views)),
		angle("shoulder", "", side, 'a', shouldered, "over the shoulder|over her shoulder|over his shoulder|over their shoulder|over one shoulder|over the left shoulder|over the right shoulder|over her left shoulder|over her right shoulder|over his left shoulder|over his right shoulder|over * shoulder|over * right shoulder|over * left shoulder"),
		angle("profile", "", side, 'n', nil, with("profile|side|side on", "shot|view|portrait|framing|perspective")),
		angle("profile", "", side, 'a', seen, "in profile|the side|side on"),
		{axis: Angle, is: "profile", group: side, form: 'a', weak: true, only: posed, phrases: "in profile"},
		angle("behind", "shoulder", side, 'n', nil, with("back|rear", "shot|view|framing|angle")),
		angle("behind", "shoulder", side, 'a', seen, "behind|the back|the rear|directly behind|just behind"),
		angle("point-of-view", "", side, 'n', nil, with("point of view|first person|pov|subjective", "shot|shots|view|perspective|framing|camera|image")),
		{axis: Angle, is: "front", group: side, form: 'a', weak: true, phrases: "facing the camera|faces the camera|frontal view|front view"},
	}
}

func optics() []line {
	optic := func(a Axis, is, fits string, phrases string, only func(*reader, int, int) bool) line {
		return line{axis: a, is: is, fits: fits, form: 'n', only: only, phrases: phrases}
	}
	return []line{
		optic(Lens, "ultra-wide", "", "ultra wide lens|ultra wide angle lens|ultra wide angle|fisheye lens|fisheye|fish eye lens", nil),
		optic(Lens, "wide ultra-wide", "", "wide angle lens|wide angle|wide angle shot|wide angle view|wide lens", nil),
		optic(Lens, "normal", "", "normal lens|standard lens|natural perspective", nil),
		optic(Lens, "portrait", "", "portrait lens|short telephoto", nil),
		optic(Lens, "tele", "", "telephoto|telephoto lens|long lens|tele lens|compressed perspective", nil),
		optic(Lens, "macro", "", "macro lens|macro photograph|macro photography|macro focus|paper thin focus", nil),
		optic(Lens, "anamorphic", "", "anamorphic lens|anamorphic|anamorphic flare", nil),
		{axis: Lens, fits: "ultra-wide wide normal anamorphic", form: 'd', phrases: "deep focus|deep depth of field|great depth of field|everything in focus|sharp from front to back|large depth of field"},
		{axis: Lens, fits: "normal portrait tele macro anamorphic", form: 'd', phrases: "shallow depth of field|shallow focus|narrow depth of field|bokeh|blurred background|softly blurred background|thin depth of field"},
		optic(Composition, "thirds", "-centred", "rule of thirds|off centre|off center|off centred|off centered|left third|right third|upper third|lower third", nil),
		optic(Composition, "centred", "-thirds diagonal", "centred composition|centered composition|symmetrical composition|symmetric composition|centred symmetrical composition|dead centre|dead center|perfectly centred|perfectly centered|perfect symmetry", nil),
		optic(Composition, "diagonal", "-centred", "diagonal composition|strong diagonal|composed on the diagonal", nil),
		optic(Composition, "frame", "*", "frame within the frame|frame within a frame|framed by|natural frame", nil),
		optic(Composition, "leading", "*", "leading lines|lines lead|converging lines", nil),
		optic(Composition, "space", "*", "negative space|empty space", nil),
		optic(Composition, "layers", "*", "middle ground and background|foreground middle ground|layered composition|layers of depth", nil),
	}
}

// What stands around a phrase and decides what it means.
var (
	articles = words("a an the this that one single very")
	cameras  = words("camera lens viewpoint viewer shot view angle frame framing photographer composition perspective vantage closeup up picture image portrait photograph seen viewed shown filmed photographed captured pictured framed")
	sights   = words("seen viewed shot shown filmed photographed captured taken framed looking camera lens view angle viewpoint watched observed pictured perspective image picture portrait up")
	framings = words("framed seen shown visible cropped cut figures figure shot framing portrait camera frame frames view up photographed")
	bare     = words("naked bare undressed nude soaked drenched dressed clad covered wet caked drips shivering black")
	drinks   = words("whisky whiskey vodka rum tequila espresso gin liquor bourbon brandy schnapps sake adrenaline morphine glass glasses gun put silence")
	rays     = words("sun sunlight light lights sunbeam lamplight moonlight glow rays beam beams lamp lamps lit illuminated illumination streams slants")
	holding  = words("hold holds held holding raise raises raised raising lift lifts lifted lifting bring brings brought hang hangs hung hanging")
	satchels = words("bag bags strap straps satchel purse rucksack coat cloak rifle hung hangs slung towel scarf")
	parts    = words("face faces eyes eye hands hand fingers lips mouth palm fist")
)

// aimed: a shot is no drink, no bullet and no idiom.
func aimed(r *reader, i, end int) bool {
	if r.is(end, i, words("of")) && r.is(end+1, i, drinks) || r.is(end, i, drinks) {
		return false
	}
	if r.list[i].low == "long" && (r.is(i-1, i, articles) && r.is(i-2, i, words("by was its"))) {
		return false
	}
	if last := r.list[end-1].low; (last == "up" || last == "ups") && end-i == 2 && r.list[i].low == "close" && r.text[r.list[i].to] != '-' {
		return r.begins(i) || r.is(end, i, words("of on view shot portrait framing photograph")) && r.is(i-1, i, words("a an the in tight very")) || r.is(i-1, i, words("a an in tight"))
	}
	return true
}

// framed: figures are shown from the waist up; somebody is naked from there.
func framed(r *reader, i, _ int) bool {
	return r.near(i, 8, false, framings) && !r.near(i, 4, false, bare)
}

// faces: what fills the frame is a face or hands.
func faces(r *reader, i, _ int) bool { return r.near(i, 5, false, parts) }

// levelled: the camera is at eye level, and not a lamp that is lifted to it.
func levelled(r *reader, i, _ int) bool {
	return !r.is(i-1, i, words("to")) && (!r.near(i, 7, true, holding) || r.near(i, 7, true, cameras))
}

// unlit: a low angle is the camera's, not the sun's.
func unlit(r *reader, i, end int) bool {
	if r.is(end, i, rays) || r.is(end, i, words("of")) && r.ahead(end, 3, rays) {
		return false
	}
	return r.near(i, 7, true, cameras) || !r.near(i, 6, true, rays)
}

// seen: it is seen from there; nothing falls, comes or shines from there.
func seen(r *reader, i, _ int) bool {
	if !r.is(i-1, i, words("from in at on straight directly slightly just and")) {
		return r.list[i].low == "in" && r.near(i, 3, true, sights)
	}
	return r.near(i, 6, true, sights) && !r.near(i, 6, true, rays) || r.is(i-1, i, words("from")) && r.begins(i-1) && r.list[i].low != "the" && r.starts(i-1)
}

// starts tells whether the word at i begins the text.
func (r *reader) starts(i int) bool { return i == 0 }

// looks: the camera looks, and nobody in the picture.
func looks(r *reader, i, _ int) bool {
	for j := i - 1; j >= max(0, i-7) && r.list[j].sentence == r.list[i].sentence; j-- {
		t := r.list[j]
		if t.low == "camera" || t.low == "lens" || t.low == "viewpoint" || t.low == "viewer" || t.low == "we" ||
			(t.low == "angle" || t.low == "shot" || t.low == "view") && i-j <= 2 {
			return true
		}
		if t.upper && j > 0 && r.list[j-1].sentence == t.sentence || people[t.low] {
			return false // somebody does it
		}
	}
	return false
}

var people = words("he she they who his her him eyes gaze woman man girl boy")

// lens: it is the camera that is there.
func lens(r *reader, i, _ int) bool {
	return r.near(i, 6, false, words("camera lens viewpoint")) && !r.near(i, 6, false, people)
}

// shouldered: somebody is seen over a shoulder; nothing hangs over it, and nobody looks.
func shouldered(r *reader, i, end int) bool {
	return !r.ahead(end-1, 4, satchels) && !r.near(i, 3, true, satchels) &&
		(r.near(i, 4, true, sights) && !r.near(i, 3, true, people) || r.is(i-1, i, words("from")))
}

// posed: somebody stands so.
func posed(r *reader, i, _ int) bool { return !r.near(i, 3, false, words("kept keeps")) }
