package capture

// Preset is one choice of a camera control: its label, and the phrase that it adds to a prompt.
type Preset struct {
	Key    string `json:"key"`
	Label  string `json:"label"`
	Phrase string `json:"phrase"`
}

// Shots returns the shot sizes, from far to near.
func Shots() []Preset {
	return []Preset{
		{"extreme-wide", "Extreme wide", "extreme wide shot, the figures small in their surroundings"},
		{"wide", "Wide", "wide shot, whole figures and the room around them"},
		{"full", "Full", "full shot, figures from head to foot"},
		{"medium", "Medium", "medium shot, figures from the waist up"},
		{"medium-close", "Medium close-up", "medium close-up, head and shoulders"},
		{"close", "Close-up", "close-up of the face"},
		{"detail", "Detail", "extreme close-up of a single detail"},
	}
}

// Angles returns the camera positions.
func Angles() []Preset {
	return []Preset{
		{"eye", "Eye level", "camera at eye level"},
		{"low", "Low", "low angle, looking up"},
		{"high", "High", "high angle, looking down"},
		{"overhead", "Overhead", "seen from straight above"},
		{"ground", "Ground", "camera close to the floor"},
		{"dutch", "Tilted", "tilted horizon, Dutch angle"},
		{"shoulder", "Over the shoulder", "over-the-shoulder view"},
		{"profile", "Profile", "seen in profile"},
		{"behind", "From behind", "seen from behind"},
	}
}

// Lenses returns focal lengths and their effect on depth.
func Lenses() []Preset {
	return []Preset{
		{"ultra-wide", "Ultra wide, 16 mm", "16 mm ultra-wide lens, strong perspective"},
		{"wide", "Wide, 28 mm", "28 mm lens, deep focus"},
		{"normal", "Normal, 50 mm", "50 mm lens, natural perspective"},
		{"portrait", "Portrait, 85 mm", "85 mm portrait lens, shallow depth of field"},
		{"tele", "Long, 135 mm", "135 mm lens, compressed perspective, blurred background"},
		{"macro", "Macro", "macro lens, paper-thin focus"},
		{"anamorphic", "Anamorphic", "anamorphic lens, oval highlights, wide frame"},
	}
}

// Lightings returns light sources and colours.
func Lightings() []Preset {
	return []Preset{
		{"golden-hour", "Golden hour", "low warm sun of the golden hour, long shadows"},
		{"blue-hour", "Blue hour", "cool even light of the blue hour"},
		{"overcast", "Overcast", "soft overcast daylight, hardly any shadow"},
		{"noon", "Noon", "hard overhead midday sun"},
		{"moon", "Moonlight", "pale moonlight, deep blue shadows"},
		{"candle", "Candle", "flickering candlelight, warm faces out of the dark"},
		{"fire", "Firelight", "orange firelight from below"},
		{"lamp", "Lamp", "a single lamp, warm pool of light, darkness around it"},
		{"stage", "Stage", "theatrical spotlight, hard edge, dust in the beam"},
		{"studio", "Studio", "three-point studio lighting"},
		{"window", "Window", "soft light from a side window"},
		{"neon", "Neon", "coloured neon light, wet reflections"},
		{"back", "Backlight", "strong backlight, bright rim around the figures"},
		{"chiaroscuro", "Chiaroscuro", "chiaroscuro, one light source, deep shadow"},
	}
}

// Compositions returns rules of composition.
func Compositions() []Preset {
	return []Preset{
		{"thirds", "Rule of thirds", "composed by the rule of thirds"},
		{"centred", "Centred", "centred symmetrical composition"},
		{"diagonal", "Diagonal", "strong diagonal composition"},
		{"frame", "Frame within the frame", "framed by a doorway or window in the foreground"},
		{"leading", "Leading lines", "leading lines that run towards the subject"},
		{"space", "Empty space", "much empty space around the subject"},
		{"layers", "Layers", "clear foreground, middle ground and background"},
	}
}

// Moods returns the moods of a picture.
func Moods() []Preset {
	return []Preset{
		{"tender", "Tender", "tender, quiet mood"},
		{"tense", "Tense", "tense mood, held breath"},
		{"joyful", "Joyful", "joyful, light mood"},
		{"melancholy", "Melancholy", "melancholy mood, muted colours"},
		{"mysterious", "Mysterious", "mysterious mood, much left in shadow"},
		{"dreamlike", "Dreamlike", "dreamlike mood, soft haze"},
		{"ominous", "Ominous", "ominous mood, cold palette"},
		{"intimate", "Intimate", "intimate mood, warm palette"},
		{"epic", "Epic", "grand, epic mood"},
	}
}

// Templates returns everyday places with their details.
func Templates() []Preset {
	return []Preset{
		{"cafe", "Café", "in a small café, round tables, steam over the cups, a street behind the window"},
		{"park", "Park", "in a park, gravel path, benches under old trees"},
		{"office", "Office", "in an office, desks with papers and screens, blinds half drawn"},
		{"kitchen", "Kitchen", "in a lived-in kitchen, pots over the stove, crumbs on a wooden table"},
		{"bedroom", "Bedroom", "in a bedroom, rumpled sheets, clothes over a chair"},
		{"living-room", "Living room", "in a living room, deep sofa, books and cushions, a rug"},
		{"street-night", "Street at night", "on a city street at night, wet asphalt, lit shop windows"},
		{"alley", "Alley", "in a narrow alley, brick walls, bins and fire escapes"},
		{"rooftop", "Rooftop", "on a flat rooftop, chimneys, the city spread out below"},
		{"forest", "Forest", "in a forest, tall trunks, ferns and moss, light between the leaves"},
		{"beach", "Beach", "on a beach, wet sand, a line of surf, wide sky"},
		{"mountain", "Mountain", "on a mountain ridge, bare rock, valleys in haze below"},
		{"garden", "Garden", "in an overgrown garden, roses along a wall, a stone bench"},
		{"library", "Library", "in an old library, high shelves, ladders, green reading lamps"},
		{"tavern", "Tavern", "in a tavern, low beams, tankards on scarred tables, a fire in the hearth"},
		{"throne-room", "Throne room", "in a throne room, tall columns, banners, steps up to the throne"},
		{"train", "Train", "in a train compartment, worn seats, landscape rushing past the window"},
		{"ship", "Ship", "on the deck of a sailing ship, ropes and canvas, grey sea all around"},
		{"hospital", "Hospital", "in a hospital room, white bed, drip stand, curtain half drawn"},
		{"theatre", "Theatre", "on a theatre stage, red curtains, footlights, empty rows in the dark"},
		{"market", "Market", "in a crowded market, awnings, crates of fruit, people passing"},
		{"spaceship", "Spaceship", "on the bridge of a spaceship, consoles aglow, stars beyond the glass"},
	}
}

// NamedCamera is a camera preset.
type NamedCamera struct {
	Name   string
	Camera Camera
}

// Cameras returns the bundled camera presets.
func Cameras() []NamedCamera {
	return []NamedCamera{
		{"portrait", Camera{Shot: "medium-close", Angle: "eye", Lens: "portrait", Lighting: "window",
			Composition: "thirds"}},
		{"establishing", Camera{Shot: "extreme-wide", Angle: "high", Lens: "wide", Composition: "layers"}},
		{"noir", Camera{Shot: "medium", Angle: "low", Lens: "normal", Lighting: "chiaroscuro", Composition: "diagonal",
			Mood: "tense"}},
		{"intimate", Camera{Shot: "close", Angle: "eye", Lens: "portrait", Lighting: "candle", Mood: "intimate"}},
		{"epic", Camera{Shot: "wide", Angle: "low", Lens: "anamorphic", Lighting: "back", Composition: "leading",
			Mood: "epic"}},
		{"dream", Camera{Shot: "medium", Lens: "portrait", Lighting: "golden-hour", Composition: "space",
			Mood: "dreamlike"}},
	}
}

// DefaultAngles returns the angles of a batch if none are given.
func DefaultAngles() []string { return []string{"eye", "low", "high", "shoulder"} }
