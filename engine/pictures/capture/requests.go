package capture

// is tells whether the token at i is of any of some classes.
func (g *gate) is(i int, c class) bool { return i >= 0 && i < g.n && g.list[i].class&c != 0 }

// any tells whether one of the tokens from from up to to, without it, is of any of
// some classes.
func (g *gate) any(from, to int, c class) bool {
	for i := max(from, 0); i < min(to, g.n); i++ {
		if g.list[i].class&c != 0 {
			return true
		}
	}
	return false
}

// picture tells whether a picture or video is named from a token on, near it and
// without a denial before it: "no pictures".
func (g *gate) picture(from int) bool {
	if from >= g.n {
		return false
	}
	at := int(g.nouns[from])
	return at < g.n && at-from <= reach && int(g.nots[from]) > at
}

// names tells whether the token at i is the name of a picture, and neither a verb
// nor an idiom: to picture, the big picture, get the picture.
func (g *gate) names(i int) bool {
	switch {
	case !g.is(i, isNoun):
		return false
	case g.is(i, isVerbal) && g.is(i-1, isTo|isI|isModal):
		return false
	case g.is(i, isVerbal) && g.is(i-1, isYou) && !g.is(i-2, isMake|isShow|isDepict|isOf|isSee):
		return false
	case g.is(i-1, isIdiom) && g.is(i-2, isThe):
		return false
	case g.is(i-1, isThe):
		out := g.is(i-2, isOf) && g.is(i-3, isOther)
		got := g.is(i-2, isHave) || g.is(i-2, isSee) && g.is(i-2, isMake)
		return !out && !got && !g.is(i-2, isIn)
	}
	return true
}

// asks finds the word with which a sentence begins to ask for a picture, -1 for
// none.
func (g *gate) asks(question bool) int {
	nouns, nots, any := int16(g.n), int16(g.n), class(0) //nolint:gosec // at most mostTokens
	g.nouns[g.n], g.nots[g.n] = nouns, nots
	for i := g.n - 1; i >= 0; i-- {
		if g.names(i) {
			nouns = int16(i) //nolint:gosec // likewise
		}
		if g.is(i, isNot) {
			nots = int16(i) //nolint:gosec // likewise
		}
		g.nouns[i], g.nots[i] = nouns, nots
		any |= g.list[i].class
	}
	if any&(isNoun|isShow|isShowMe|isDepict|isLook|isSee) == 0 {
		return -1
	}
	g.polite = any&isPlease != 0
	if g.polite && any&isNot == 0 && int(nouns) < g.n {
		return int(nouns)
	}
	for i := range g.n {
		if g.orders(i) || g.begs(i) || g.wishes(i) || g.wouldLike(i) || g.fragment(i, question) || g.offers(i, question) {
			return i
		}
	}
	return -1
}

// orders: show me, send me a photo, draw the harbour; zeigst du mir ein Bild?
func (g *gate) orders(i int) bool {
	const verbs = isMake | isDepict | isShow | isShowMe
	if g.is(i, isTell) && (g.is(i+1, isMe|isYou) || g.is(i-1, isMe|isYou)) && !g.is(i-1, isHe) && !g.any(i-3, i, isNot) && g.picture(i+1) {
		return true
	}
	whyNot := g.is(i-1, isNot) && g.is(i-2, isOther) || g.is(i-1, isYou) && g.is(i-2, isNot) && g.is(i-3, isOther)
	begins := g.list[i].clause || whyNot
	toMe := g.is(i+1, isMe) && !g.is(i-1, isI|isYou|isHe|isTo|isNot|isModal|isMe|isThe)
	switch {
	case !begins && !toMe:
		return false
	case g.is(i, isLet):
		verb := g.any(i+1, i+7, isSee|isMake|isDepict|isShow)
		return verb && g.picture(i+1) || g.is(i+1, isMe) && g.is(i+2, isSee) && (g.is(i+3, isYou|isDet) || g.any(i+3, i+reach, isLook))
	case !g.is(i, verbs):
		return false
	case g.is(i, isMake) && g.is(i+1, isMe) && g.is(i+2, isSee) && !g.is(i, isSee):
		return g.shown(i + 3) // fais-moi voir
	case g.is(i, isShow|isShowMe) && g.shows(i):
		return true
	case g.is(i, isDepict) && g.depicts(i):
		return true
	}
	return g.picture(i + 1)
}

// shows tells whether a verb of showing has somebody to show it to.
func (g *gate) shows(i int) bool {
	if g.is(i, isShowMe) {
		return g.shown(i + 1)
	}
	return g.is(i+1, isMe) && g.shown(i+2)
}

// shown tells whether what is to be shown could be a picture: not the way.
func (g *gate) shown(from int) bool {
	return !g.any(from, from+2, isOther) || g.any(from, from+reach, isLook|isNoun)
}

func (g *gate) depicts(i int) bool {
	return i+1 < g.n && !g.any(i+1, i+3, isOther) && !g.is(i+1, isWas|isNot|isOf)
}

// begs: can you draw, could I see a picture, puedes mandarme una foto.
func (g *gate) begs(i int) bool {
	you, me := g.is(i, isAsked), g.is(i, isAsked)
	from := i + 1
	switch {
	case you:
	case g.is(i, isModal) && g.is(i+1, isYou|isI):
		you, me, from = g.is(i+1, isYou), g.is(i+1, isI), i+2
	case g.is(i, isModal) && g.is(i+2, isYou): // könntest bitte du
		you, from = true, i+3
	case g.is(i, isYou|isI) && g.is(i+1, isModal):
		you, me, from = g.is(i, isYou), g.is(i, isI) && g.is(i+1, isSee|isModal) && !g.is(i, isIch), i+2
		if me && !g.is(i+1, isAsked) { // "I could see the picture" asks for nothing
			me = g.is(i-1, isWhat|isOther)
		}
	default:
		return false
	}
	for j := from; j < min(from+12, g.n); j++ {
		switch {
		case g.is(j, isNot):
			return false
		case me && g.is(j, isSee) && (g.picture(from) || g.any(j, j+reach, isLook)):
			return true
		case !you:
		case g.is(j, isShow|isShowMe) && (g.shows(j) || g.any(from, j, isMe) || g.picture(from)):
			return true
		case g.is(j, isDepict) && (g.depicts(j) || g.any(from, j, isMe|isNoun)):
			return true
		case g.is(j, isMake) && g.picture(from):
			return true
		}
	}
	return false
}

// wishes: I want a picture, ich will ein Bild sehen, quiero una foto.
func (g *gate) wishes(i int) bool {
	mine := g.any(i-3, i, isI) || g.is(i+1, isI) || g.is(i-1, isMe)
	switch {
	case g.is(i, isWill):
		mine = g.is(i-1, isIch) || g.is(i+1, isIch)
	case !g.is(i, isWant):
		return false
	}
	spanish := !g.is(i, isModal) && g.is(i, isWant) && g.list[i].clause
	if !mine && !spanish || g.any(i-3, i, isNot|isHe) || g.gives(i+1) {
		return false
	}
	return g.wanted(i + 1)
}

// wanted tells whether a picture is what is wished for.
func (g *gate) wanted(from int) bool {
	if g.picture(from) {
		return true
	}
	for j := from; j < min(from+8, g.n); j++ {
		switch {
		case g.is(j, isNot):
			return false
		case g.is(j, isShow|isShowMe) && g.shows(j),
			g.is(j, isDepict) && g.any(from, j, isYou) && g.depicts(j),
			g.is(j, isSee) && g.any(j, j+8, isLook):
			return true
		}
	}
	return false
}

// gives tells whether the user is the one to do it: I want to show you a picture.
func (g *gate) gives(i int) bool {
	return g.is(i, isTo) && g.is(i+1, isMake|isShow|isDepict) && g.is(i+2, isYou)
}

// wouldLike: I'd love to see a video, it would be nice to have a photo.
func (g *gate) wouldLike(i int) bool {
	if !g.is(i, isLike) || g.any(i-4, i, isNot|isPast) || g.gives(i+1) {
		return false
	}
	if g.any(i-3, i+1, isWould) {
		return g.wanted(i + 1)
	}
	return g.is(i+1, isTo) && g.is(i+2, isSee) && g.picture(i+3)
}

// fragment: a picture of the sea. Another photo! Selfie?
func (g *gate) fragment(i int, question bool) bool {
	if !g.list[i].head || !g.is(i, isDet|isNoun) {
		return false
	}
	at := i
	if g.is(i, isDet) {
		for at = i; at < min(i+4, g.n) && !g.names(at); at++ {
			if g.is(at, isWas|isI|isHe|isThe) {
				return false
			}
		}
	}
	if at >= min(i+4, g.n) || !g.names(at) || g.any(at+1, at+10, isWas) {
		return false
	}
	return g.is(at+1, isOf) || question && g.n-at <= 4 || g.is(i, isMore)
}

// offers: do you have a photo? How about a selfie?
func (g *gate) offers(i int, question bool) bool {
	near := g.nouns[min(i+1, g.n)]
	if int(near) >= g.n || int(near)-i > 9 || !g.picture(i+1) || g.is(int(near)-1, isThe) {
		return false
	}
	if g.is(i, isHave) && question {
		return g.list[i].clause || g.any(i-2, i, isYou) || g.is(i+1, isYou) || g.is(i, isAsked)
	}
	return g.is(i, isWhat) && g.is(i+1, isAbout) && g.list[i].clause
}

// reported tells whether somebody else's words are quoted.
func (g *gate) reported(at int) bool {
	for i := max(0, at-6); i < at; i++ {
		if g.is(i, isSaid) && !g.any(i-2, i, isI|isYou) {
			return true
		}
	}
	return false
}
