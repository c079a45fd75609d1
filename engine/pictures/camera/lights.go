package camera

import "strings"

// source is where light comes from.
type source struct {
	is, fits string
	nouns    string // of the thing, or the hour
	solid    bool   // it is a thing, which burns and shines
}

// sources: of most, backlight and one hard light are made as well.
var sources = []source{
	{"candle", "back chiaroscuro", "candle|candles|candelabra|candelabrum|candle flame|candle flames|taper|tapers", true},
	{"fire", "back chiaroscuro", "fire|fires|hearth|fireplace|campfire|bonfire|torch|torches|embers|flames|stove|brazier", true},
	{"lamp", "back chiaroscuro", "lamp|lamps|lantern|lanterns|bulb|bulbs|oil lamp|desk lamp|table lamp|floor lamp|bedside lamp|street lamp|streetlamp|chandelier", true},
	{"moon", "back chiaroscuro window", "moon|stars|starry", true},
	{"stage", "back chiaroscuro", "stage|spotlight|spotlights|theatre|theatrical|footlights|limelight", false},
	{"studio", "back", "studio|softbox|three point|ring|strobe|key", false},
	{"window", "golden-hour blue-hour overcast noon back chiaroscuro moon", "window|windows|side window", false},
	{"neon", "back chiaroscuro", "neon|neon sign|neon signs|neon tubes", true},
	{"", "golden-hour noon window back chiaroscuro", "sun|suns", true},
	{"day", "golden-hour overcast window back", "morning|late morning|early morning|daybreak", false},
	{"day", "golden-hour noon overcast window back chiaroscuro", "afternoon|late afternoon", false},
	{"", "golden-hour noon overcast window back chiaroscuro", "day|natural", false},
	{"noon", "back", "midday|noon|noonday|midday sun|noon sun|overhead sun|high sun|overhead midday sun", false},
	{"golden-hour", "back window chiaroscuro", "sunset|sunrise|setting sun|rising sun|low sun|evening sun", true},
	{"golden-hour blue-hour", "back window chiaroscuro", "dawn|dusk|evening|twilight", false},
	{"overcast", "window", "overcast|cloudy|grey|gray|rainy|diffuse daylight", false},
	{"moon", "back chiaroscuro window", "night", false},
}

const (
	lightHeads = "light|lights|glow|illumination|lighting|beam|beams|rays|ray|shine|gleam|radiance|lit"
	lightVerbs = "casts|cast|throws|sheds|lights|illuminates|illuminate|bathes|burns|burn|burning|glows|glow|glowing|flickers|flicker|flickering|shines|shining|gutters"
	lightFrom  = "light of|light from|lit by|lit with|glow of|glow from|illuminated by|light by|light thrown by|light cast by|bathed in|gleam of|flicker of|shine of"
)

// lightLines is the vocabulary of light.
func lightLines() []line {
	var out []line
	add := func(is, fits string, form byte, only func(*reader, int, int) bool, phrases string) {
		out = append(out, line{axis: Light, is: is, fits: fits, form: form, only: only, phrases: phrases})
	}
	for _, s := range sources {
		add(s.is, s.fits, 'n', shines, with(s.nouns, lightHeads))
		if s.solid {
			add(s.is, s.fits, 's', shines, with(s.nouns, lightVerbs))
		}
		if s.nouns != "theatre" && !strings.HasPrefix(s.nouns, "studio") {
			for _, gap := range []string{"", "a ", "the ", "* ", "a * ", "the * ", "* * ", "a * * ", "the * * "} {
				var ends []string
				for n := range strings.SplitSeq(s.nouns, "|") {
					ends = append(ends, gap+n)
				}
				add(s.is, s.fits, 'f', shines, with(lightFrom, strings.Join(ends, "|")))
			}
			add(s.is, s.fits, 'o', only, s.nouns)
		}
	}
	add("noon", "back window chiaroscuro", 'n', shines, "midday sun|noon sun|noonday sun|overhead midday sun|overhead sun")
	add("candle", "back chiaroscuro", 'n', shines, "candlelight|candlelit|candle lit")
	add("fire", "back chiaroscuro", 'n', shines, "firelight|firelit|torchlight|torchlit|emberlight|hearthlight|flamelight")
	add("lamp", "back chiaroscuro", 'n', shines, "lamplight|lamplit|lanternlight|lantern lit|streetlight|streetlights|pool of lamplight|warm pool of light")
	add("moon", "back chiaroscuro window", 'n', shines, "moonlight|moonlit|starlight|starlit|moonbeams|moonbeam")
	add("", "golden-hour noon window back chiaroscuro", 'n', shines, "sunlight|sunlit|sunshine|sunbeam|sunbeams|sunny|sun drenched|sun dappled")
	add("", "golden-hour noon overcast window back chiaroscuro", 'n', shines, "daylight|daylit|broad daylight")
	add("golden-hour", "back window chiaroscuro", 'n', shines, "golden hour|magic hour|golden hour light|golden hour sun|golden hour glow|sunset glow")
	add("blue-hour", "neon back window", 'n', shines, "blue hour|blue hour light")
	add("stage", "back chiaroscuro", 'n', shines, "spotlight|spotlights|spotlit|footlights|limelight|stage lights|theatrical spotlight")
	add("studio", "back", 'n', nil, "studio lighting|studio lights|studio light|three point lighting|softbox|softboxes|beauty dish|three point studio lighting|key light")
	add("neon", "back chiaroscuro", 'n', shines, "neon light|neon lights|neon sign|neon signs|neon lit|coloured neon light|colored neon light")
	add("back", "*", 'n', nil, "backlight|backlit|backlighting|rim light|rim lighting|back lit|contre jour|lit from behind|light from behind")
	add("chiaroscuro", "-overcast", 'n', nil, "chiaroscuro|tenebrism")
	add("overcast", "window", 'n', nil, "overcast daylight|overcast sky|overcast light|flat light|flat even light|shadowless light")
	// Hours tell of a sky: lamps and fires burn under any.
	add("golden-hour blue-hour", "-noon overcast", 't', now, "at dusk|at dawn|at sunset|at sunrise|at twilight|at daybreak|in the dusk|in the twilight")
	add("noon", "-golden-hour blue-hour moon", 't', now, "at noon|at midday|at high noon")
	add("moon", "-golden-hour noon overcast blue-hour", 't', now, "at night|at midnight|by night|night sky|midnight sky|in the dead of night")
	return out
}

var (
	unreal  = words("no not without never instead rather unlike like as than eyes hair skin color colour colored coloured lacking barely hardly neither nor from")
	copies  = words("painting poster photo photograph memory memories dream dreams postcard mural tapestry")
	when    = words("until since before after tomorrow yesterday last every each next")
	schools = words("painter painters painting paintings school tradition")
	inEyes  = words("eyes eye heart voice veins chest belly cheeks gaze")
)

// shines: there is such light. There is none in a comparison, a denial or a picture
// on the wall, and what burns in somebody's eyes is none either.
func shines(r *reader, i, end int) bool {
	for j := i - 1; j >= max(0, i-3) && r.list[j].sentence == r.list[i].sentence && !r.list[j+1].gap; j-- {
		low := r.list[j].low
		if low == "from" && i-j > 0 {
			continue
		}
		if unreal[low] {
			return false
		}
	}
	if r.is(end, i, words("in behind")) && r.ahead(end, 2, inEyes) || r.near(i, 2, true, words("fire of")) && r.ahead(end-1, 2, inEyes) {
		return false
	}
	if r.is(end, i, schools) {
		return false
	}
	return !r.near(i, 5, true, copies) && !r.near(i, 4, true, when)
}

// now: it is that time, and not another.
func now(r *reader, i, end int) bool { return shines(r, i, end) && !r.near(i, 3, true, when) }

// only: a lamp that is the only light.
func only(r *reader, i, end int) bool {
	if !shines(r, i, end) {
		return false
	}
	for j := end; j < min(len(r.list), end+10) && r.list[j].sentence == r.list[i].sentence; j++ {
		if r.list[j].low == "only" || r.list[j].low == "sole" {
			return r.ahead(j, 4, words("light lights illumination"))
		}
		if r.list[j].low == "provides" || r.list[j].low == "gives" {
			return r.ahead(j, 4, words("light illumination"))
		}
	}
	return false
}
