package capture

import "strings"

// hue is a set of colours. Words for colours overlap: auburn is red and brown.
type hue uint16

const (
	black hue = 1 << iota
	brown
	red
	yellow
	grey
	white
	blue
	green
	purple
	pink
	orange
)

// axis is what a word says of a thing; two words of one axis may exclude each
// other.
type axis int

const (
	colour axis = iota
	length
	shape
	stuff
	axes
)

// quality is what an adjective says.
type quality struct {
	axis axis
	mask uint16
}

// qualities are the adjectives that are compared.
var qualities = func() map[string]quality {
	out := map[string]quality{}
	add := func(a axis, mask uint16, words string) {
		for w := range strings.FieldsSeq(words) {
			out[w] = quality{a, mask}
		}
	}
	for words, mask := range map[string]hue{
		"black jet raven ebony inky jet-black raven-black coal-black": black, "dark": black | brown | blue | green | grey | purple | red,
		"brown chestnut chocolate umber tan walnut": brown, "brunette": brown | black, "hazel": brown | green, "auburn russet": red | brown,
		"red crimson scarlet ruby vermilion": red, "burgundy maroon wine-red": red | brown | purple, "ginger copper coppery": red | orange | brown,
		"rust rusty": red | brown | orange, "blond blonde flaxen fair": yellow, "golden gold yellow": yellow, "honey sandy straw": yellow | brown,
		"amber": yellow | brown | orange, "platinum": yellow | white | grey, "grey gray": grey, "silver silvery": grey | white,
		"charcoal": grey | black, "slate steel": grey | blue, "white snow-white": white, "cream ivory": white | yellow,
		"blue azure sapphire cobalt": blue, "navy midnight": blue | black, "teal turquoise": blue | green, "green emerald jade": green,
		"olive khaki": green | brown, "purple violet lilac lavender mauve": purple, "plum": purple | red, "pink": pink, "rose": pink | red, "orange": orange,
	} {
		add(colour, uint16(mask), words)
	}
	add(length, 1, "long waist-length")
	add(length, 2, "short cropped close-cropped")
	add(shape, 1, "straight")
	add(shape, 2, "curly wavy curled")
	for i, words := range []string{"wool woollen woolen knitted", "leather", "silk satin", "linen cotton", "velvet", "denim"} {
		add(stuff, 1<<i, words)
	}
	return out
}()

// thing is something that has qualities: a part of a body, or a garment.
type thing struct {
	name    string // that stands for all its words
	garment bool
	many    bool // it is spoken of in the plural
}

// things are the nouns that are compared.
var things = func() map[string]thing {
	out := map[string]thing{}
	add := func(t thing, words string) {
		for w := range strings.FieldsSeq(words) {
			out[w] = t
		}
	}
	add(thing{"hair", false, false}, "hair curls locks braid braids ponytail tresses")
	add(thing{"eyes", false, true}, "eyes eye")
	for _, w := range strings.Fields("beard moustache fringe scar tattoo tail fur") {
		add(thing{w, false, false}, w)
	}
	add(thing{"moustache", false, false}, "mustache")
	for _, w := range strings.Fields("eyebrows freckles wings horns") {
		add(thing{w, false, true}, w)
	}
	for _, w := range strings.Fields("coat jacket cloak cape dress gown robe shirt blouse sweater waistcoat skirt hat cap hood scarf shawl belt apron uniform suit veil mask helmet cardigan hoodie kimono tunic necklace bracelet armour") {
		add(thing{w, true, false}, w)
	}
	for _, w := range strings.Fields("trousers jeans gloves boots shoes sandals socks stockings earrings glasses") {
		add(thing{w, true, true}, w)
	}
	for same, words := range map[string]string{"coat": "overcoat greatcoat raincoat", "sweater": "jumper pullover", "armour": "armor", "waistcoat": "vest"} {
		add(thing{same, true, false}, words)
	}
	add(thing{"trousers", true, true}, "pants breeches")
	add(thing{"glasses", true, true}, "spectacles")
	return out
}()

func wordSet(words string) map[string]bool {
	out := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		out[w] = true
	}
	return out
}

var (
	// fixtures make a thing part of a name when they follow it: a hair ribbon is
	// no hair.
	fixtures = wordSet("ribbon ribbons clip clips pin pins band bands tie ties brush net oil dye rack racks hanger hangers stand stands hook hooks shop shadow liner " +
		"makeup patch patches box boxes collar sleeve sleeves pocket pockets button buttons lining rehearsal room maker case lens lenses cover trim hem dryer")
	// others are people and beings without a name, and what shows some.
	others = wordSet("man woman men women girl boy girls boys child children stranger strangers figure figures guard guards sailor sailors soldier soldiers person people " +
		"crowd somebody someone other another others lady gentleman couple dancer dancers waiter waitress barmaid bartender passer-by passers-by mother father sister brother son daughter " +
		"king queen prince princess doll puppet puppets statue portrait painting mannequin cat dog horse bird raven crow wolf fox poster photograph audience actor actress priest nurse doctor")
	articlesAll = wordSet("a an the this that these those some any each every another one two three")
	pronouns    = wordSet("her his their its")
	negations   = wordSet("no not without never lacking minus neither nor hardly")
	copulas     = wordSet("is are was were remains stays looks")
	adverbs     = wordSet("very quite almost still now deep dark bright jet nearly all pure so rather")
	// closers begin another part of a sentence: no adjective of a thing lies before
	// one.
	closers = wordSet("with in on at of from by to for under over behind beside between through into onto across along around above below against near like as than " +
		"and or but while when where who whose which is are was were has have had wears wearing wore holds holding he she they it him them you we i then there " +
		"who's against toward towards off out up down his her their its")
	// links tie a garment to who wears it.
	links = wordSet("in with wearing wears wore has have having clad dressed wrapped his her their")
	// lights colour what they fall on.
	lights = wordSet("light glow glowing lit fire firelight lamplight candlelight sun sunlight sunset neon lamp lamps moonlight torchlight flames flare streetlight reflected")
	// copies show what is not here.
	copies = wordSet("painting picture photo photograph poster memory memories dream dreams portrait postcard story tale mural backdrop sketch drawing film")
	// likeness begins a comparison.
	likeness = wordSet("like as than resembling")
)
