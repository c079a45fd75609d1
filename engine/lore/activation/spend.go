package activation

// spend lets hits fire as far as chance and budget go, and returns those whose
// content is recursed into. Costs are added up content by content, each with the
// new line that ends it, rather than counted anew over all that was joined: what a
// tokenizer merges across two entries is not worth a count per entry of all text
// before it.
func (r *run) spend(hits []*cand) (spoken []*cand) {
	cost := 0
	for _, c := range hits {
		late := r.overBudget && !c.it.e.IgnoreBudget // nothing is rolled for it any more
		if !late && !r.lucky(c) {
			c.failed = true
			continue
		}
		r.prepare(c)
		r.trace(c, r.view(c.it))
		if !c.it.e.PreventRecursion {
			spoken = append(spoken, c)
		}
		if late {
			c.verdict, c.why = CutByBudget, r.tooMuch(c, true)
			continue
		}
		cost += c.tokens
		if !c.it.e.IgnoreBudget && r.budget > 0 && r.carry+cost >= r.budget {
			r.overBudget = true
			c.verdict, c.why = CutByBudget, r.tooMuch(c, false)
			continue
		}
		r.fire(c)
	}
	if silentRound(spoken) {
		return spoken
	}
	for _, c := range spoken {
		r.carry += c.tokens
	}
	return spoken
}

// silentRound reports whether the contents of a round come to no text at all.
func silentRound(spoken []*cand) bool {
	return len(spoken) == 0 || len(spoken) == 1 && spoken[0].text == ""
}

// lucky reports whether chance lets the entry fire.
func (r *run) lucky(c *cand) bool {
	p, on := c.it.chance()
	if !on || p == 100 || c.sticky {
		return true
	}
	roll := r.in.Random() * 100
	if roll <= p {
		return true
	}
	c.verdict, c.why = FailedChance, missed(roll, p)
	return false
}

// prepare sets the entry's text as it goes into the prompt.
func (r *run) prepare(c *cand) {
	if c.ready {
		return
	}
	c.ready = true
	c.text = c.it.content()
	if r.in.Expand != nil && hasMacro(c.text) {
		c.text = r.in.Expand(c.text)
	}
	if r.in.Count != nil {
		c.tokens = r.in.Count(c.text + "\n")
	} else {
		c.tokens = (len(c.text) + 1 + 3) / 4
	}
}

func (r *run) fire(c *cand) {
	c.active, c.verdict, c.round = true, Fired, r.steps
	c.at, c.turn = c.it.place(), len(r.active)
	r.used += c.tokens
	r.active = append(r.active, c)
}
