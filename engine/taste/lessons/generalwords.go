package lessons

// Words that a preference may be told in beside those of weights.go, by what they
// say about whether it is one scene that is spoken of. The lists are of English as
// people speak about scenes of any kind; they hold nothing of any one story.

// generalWords are words of what people do, feel and are, in whatever story.
var generalWords = setOf(`
absorb abstract abuse accent accentuate accident accompany accuse accused accuser achieve acknowledge act acting active activity actor actual adapt address adequate adjust
admire admit adopt adult adventure adversary advice affair affect agenda aggression aggressive agitated agree agreement aim air alarm alert alien alive allow ally aloof
alter ambiguous ambition ambush amplify amuse amused ancient angled animate announce annoy answering antagonize anticipate anyone apart apologize apologise appear appease
appetite applause appreciate approach appropriate approve archetype arise armed arouse arrange arrest arrogance arrogant art artificial ashamed aside asleep assault assert
assume assured attach attack attacker attempt attend attentive attract audio authentic author authoritative awake aware away awe awful axis backdrop backed background
backs bait balance balanced ban bare barely bargain barrier based basic bearing beat beaten beating beauty beautiful beg begging behave behaviour behavior belief belong
beloved beneath benefit besides betray betrayer between bicker bigger bind birth bit bite bitter bitterness blame blank blend blind block blocking blow bluff blur bodies
bold bond bore bored boredom boring born borrow bother bottom bounce bound boundary brave bravery break breakdown breaking breakup breathless breaths bring broad broken
bruise brutal brutality buddy build buildup bully burden burst bury busy bypass bystander calculated call camaraderie campaign cancel candid capable care caring carefree
caress carry catch caught cause cautious caution cautious ceremony certain challenge chance change changes chaos chaotic character charge charged charm charming chaste
chat cheat check cheer cheerful cheering chilling choose chosen circle circular civil claim clash class classic claustrophobic clean clear clever clichéd cliche climb cling
closeness closure clue clues clumsy coax code coercion cohesive coincidence cold collapse colleague collective collide collision colourful colorful comeback comedown
comfortable command commander comment commit commitment common communicate community companion company compare competence competition competitive competitor complain
complete complicated complicity comply compose composed compress compromise conceal concentrate concern concerned conclude concrete condemn condition conduct confide
confident confidence confine confined confrontational confused confusing connect connected connection conquer consider consistent consolation console conspiracy constant
contact contain contained contemplate contemplation contest contextual continue continuous contradict contribute controlled convenient conversational convict convince
cooperate cooperation cope copy core correct corrupt cosy cozy counterpart countdown counter courage courageous course courteous courtesy courtship cover covert coward
craft crash crawl crazy create creation creature creatures credible creep creeping creepy crew crews cries crime criminal crisis critic critical criticise criticize cruel
cruelty crush culminate cultural culture curiosity curious current custom customary cynical daily damage dare daring daylight dead deadline deadlines deadly deadpan deal
death deaths debate debrief decay deceit deceive deception decide decisive declaration declare decline decor decorum dedicate deed deeper defeat defeated defence defend
defender defense defensive defer defiance defiant define degree delay delayed delicate delight deliver delivery demand demeanor denial deny depart departing depict deprive
derive deserve desire despair desperate desperation destroy destruction detached detachment detect determination determine determined deterrent devastate devastated
devastating development device devices devoted devotion dialogues die dies different diffuse dignified dignity dilemma diminish dip direct directing direction disappear
disappoint disappointed disappointment disapproval disapprove disarm disaster disasters disbelief discipline discover discoveries discoverer discreet discuss discussion
disguise dismiss dismissal disorder disorient disorientation display displays dispute disrupt disruption dissolve distinct distort distorted distract distracted
distraction disturb disturbing dive divide divided division dizzy dominant dominate doomed doubtful downbeat downward drag drain dramatically drastic draw drawing drawn
dread dreamlike dreams drift drifting drive driven drown dry due dull duo duty dwell dying dynamics eager eagerness earn earned earnest easier eavesdrop eccentric echo
echoes effort elaborate elder elders elegant elegiac element elements elevate elicit elope elopement else embarrass embarrassed embarrassing embarrassment emerge emergencies
emergency emote empathy employ empower empowerment enable encounter encounters encourage encouragement endanger endangered ending endure enemies engage engaged enhance
enigmatic enjoy enormous ensemble ensure entering enters enterprise entertain enthusiasm entire entrances entrapment entry environmental envious envy episode episodic
equal equally equals equilibrium equivalent erase erotic erupt eruption essential establish estranged estrangement ethical evade evaluate evasion event events eventual
everyday evidence evident evil evoke exact exaggerate exaggerated examine excess excessive exchange exchanges excite excited excitement exclude exclusion excuse execute
execution exhaust exile existence existential expand expansive expect expected expert explain explanation explode exploration explore explosion explosions explosive expose
exposed exposure expressive extend exterior exteriors external extra extraordinary extravagant fact factor fail failed failing failure failures faint fair fairy faith
faithful fake falls false falter familiar families family famous fan fatal fate fatherly fatigue fault favourable favourite favorite fearless feast feature features feeble
feint feminine festival festive fiction fictional fidelity field fierce fighter fighters figures file fill filled film films final finally find finger fire firm first
fits fixate flash flat flatter flaw flee fleeing flicker flickering flip float floating floats flow fluid focused focusing follower followers force forced forceful
forces foreboding foreign foreshadow foreshadowing form formality formation forms former forward fragile fragility frail frames framing frantic freedom freeze frenetic
frenzied frequency frequent fresh friendliness friendly friends friendship frighten frightened frightening frozen frustrate frustrated frustration fulfil fulfill fun
funny furious furtive fury fuss future gain gait gallows gap gaps gather gathering gatherings gaze gender generate generous genre genres gentleness genuine gesture
gestural ghostly giant giggle glances glare glimpse glimpses gloom gloomy glory goad goal goals gone good gory gossip gothic grace graceful gracious gradually grand
graphic grasp grateful gratitude grave gravity greet greeting greetings gross grotesque ground grounded groups grow growth grudge gruff guarded guest guests guide guilty
habit habitual halt handle handles handling handoff hands handshake hang happening happiness happy harassment harm harmless harmonious harmony harsh haste hasty hate
hatred haunted haunting haven head heal healing hear heart heartbreak heartfelt heated heaven heist heists helping hero heroes heroic heroine heroism hesitant hidden hide
hierarchical hierarchy highlight hint hints historic historical history hit hoax holds holiday home homecoming honour honor hopeful hopeless horrific horrified horrify
hospitality host hostage hostility huddle huge human humanity humans humble humiliation humorous hunted hurried hurry hurt hush hushed hypocrisy hysteria hysterical
identify identity idle ignorance ignore illusion imaginary imagination imagine imbalance imitate immense imminent immobile immoral impact impartial impatience impatient
impending imperfect impersonal implied impose imposing impossible impression impressive improve improvise improvised impulse impulsive inanimate incident incidents include
including inclusion incongruous increasing incredible independent indifference indifferent indirect individuals indoor industrial inevitable infer inferior infiltrate
infiltration influence inform informal infrequent inhabit inhabitants inhuman initial initiate initiative injuries injustice inner innocence innocent innuendo inquiry
insecure insecurity inside insight insist inspect inspection inspire instability instead instinct institution institutional instruction instrument instruments insult
insults integrate intellectual intelligence intend intended intense intent intention interact interactions intercut interest interested interesting interfere internal
interplay interpret interrogate interrogator interruptions intervene intervention interview interviews intimidate intimidation intoxicated intrigue introduce introduction
introductions introvert intrude intruder intrusion invade invent investigate investigations investigative investigator invisible invite invited involve involved inward
isolated issue item items jealousies jitter jittery join joined joint jokes journeys joyous judge judged judgement judgment jump jumpy justice justify keen keeping kidnap
kidnapping kill killer killers killing killings kin kindness kinetic kisses knowing knowledge known labour labor lack lacking language languid large larger last lasting
late laugh laughter launch law lawless lay layer layered layers lazy leader leaders leadership leads league leap learn learning learns leisurely lesson lethal level levels
levity liar liars liberate lifted likely liking limit limited limp liquid literal little lively living local location locations lofty logic loneliness longest longing loom
looming loop lose loser losers loses losing losses loud loved lovers loving low lower lowers loyal loyalty luck lucky lull lure lurk lurking lush luxury machine machinery
machines mad madness magic magical majestic malice manage mania manic manipulate manipulation manner manners manoeuvre maneuver manual march marginal mark marked marriage
marital martial masculine mask masked mass massacre massive master match matched matching material maternal mature maximum mean meaning meaningful means meanwhile measure
measured mechanical mechanism media medical meditative mediate melancholic melancholy mellow member members memories menace menacing mental mention mentor mentors mercy mere
mess message messages messy method methodical mid middle mild military mimic mindful mingle minimise minimize minimum minor miracle mirrored mirroring misdirection miserable
misery misfortune mishap mishaps mislead miss missed missing mission missions mistake mistakes mistaken mistrust misunderstanding mix mixed mob mobile mock mockery mocking
mode moderate modern modest mom momentary momentum mom monologue monologues monotonous monster monsters monstrous montage montages monument moods moral morality morbid mostly
motif motion motivate motivation motive motives mourner mourners mourning moves multi multiple mundane murder murders murderous music musical mutter mutual mysteries
mysterious mystery mystic mystical myth mythic naked named narrate narrator narrow nasty native naturalistic nature naive near necessary need neglect negotiate negotiator
nerve nerves neutral newcomer newcomers news nice nightmare nightmares nobility noble nod noises noisy nonverbal norm normal nostalgia nostalgic notable noted notice
noticed novel nuance nuanced nudity numb nurture nurturing oath obedience obey object objects oblique oblivious obscure obscured observation observe observer observers
obsession obsessive obstacle obstacles obvious occasion occasional occasions occupy occur odd oddly offend offense offensive offer offers official older omen ominous
onlooker onlookers open opener opening openings openness operate operation opinion opportunity oppose opposed opposing opposite opposition oppression oppressive optimism
option orchestrate ordeal ordered orders ordinary organic organise organize origin original ornate outburst outcome outdoors outer outline outlook outnumbered outrage
outright outset outsider outsiders outward outwit overcome overcrowded overdone overhear overheard overlap overlapping overlook overly overpower overt overtake
overwhelm overwhelmed overwhelming own owner pace pacify pacifist pact pair pairs palpable panicked par parade paradox parallel paralysed paralysis paranoia paranoid pardon
parent parental parents parting parties partner partners parts party pass passage passing passion passionate passive past pastoral paternal pathetic pathos patience patient
patriarchal pattern patterns peace peak peer peers penetrate perceive perception perfect perform performance performances performer performers peril perilous period periods
permission persist personal personality persons perspective persuade persuasion persuasive pervade petty phase phenomenon philosophical physicality picnic picture pictures
pile pin pity pivot pivotal places plain plan planned planning plans play playful playing plays plea plead pleading pleasant please pleasure plenty plot plunge poem poetic
poignant pointed pointless poised police polite politeness political politics pondering poor popular portrayal portray pose position positions positive possess possession
possibility possible posture potential pound poverty powerful powerless practical practice praise pray prayer prayers preach precarious precede precise precision predator
predators predict predictable prefers preparation preparations prepare prepared presence presenting press presses pressures prestige pretence pretend pretending prevail
prevent prey price prime primal primary primitive principle priority prison prisoner prisoners privacy private privilege probe problem problems procedural procedure proceed
process procession processions produce profession professional professionals profound progress progression prohibit project prolong prolonged prominent promise promises
promote pronounced proof proper property prophecy proportion proposal proposals propose protect protection protective protector protest proud prove provide provoke
provocation provocative prowess psychic psychological publicly pulled pulling pulse punch punches punchline punchlines punctuate punish punishment pupil pure purpose pursue
pursued pursuer pursuers pursuits pushes pushing puzzle puzzled quality quarrels quarry quest questioner questions quick quicken quieten quirky race races racing radiate
radical rage raid raids raising rally ramp random range rank ranks rant rape rare rate rational raucous raw reach reacting reactions read reader readiness reading ready
real realism realise realised realises realize realized realizes realises reality realm reassurance reassure reassuring rebel rebellion rebellious rebuff recall recede
receive receiver receivers receives reception receptions recipient reckless reckoning recognise recognize recognised recognised recognition recognises recognizes recoil
reconcile record recording recover recovery recreate recur recurring redemption refer reference reflect reflecting reflection reflections reflexive refocus refrain
refuge refuses regain regard regret regretful regular reject rejected rejection rejections relate related relation relations relationships relatives relax relaxed release
reliable relief religious relive reluctance reluctantly rely remark remarks remind reminder remorse remote removed removes render renewed repair repairs repeatedly replay
reply report reporter represent repressed reproach reputation request requests rescue rescued rescuer rescues resemble resent resentful resentment reserve reserved resigned
resignation resilience resilient resist resistance resolute resolve resource respectful responds response responses responsibility rest restless restore restrict result
resume retain retaliate retaliation reticent retort retreat retreats retrospective reveals revelation revelations revelry reverence revisit revolt rhythmic rhythms rich riddle
ride rides ridicule ridiculous rigid riot riots risk risks risky ritualistic rituals roam roaming romance roles romp rooms root rough roughly rounded rouse routine routines
row royal rude rumour rumor rumours rumors rural rush rushed rushing ruthless sabotage sacred sacrifice sacrifices sad sadistic safe safety salvation sane sarcastic
satire satirical satisfaction satisfied satisfy savage scale scales scandal scandalous scandals scare scared scares scary scatter scattered scenario scenarios scenery
scenic sceptical schedule scheme schemes scheming scold scope score scorn scream screaming screams screens scrutiny search searches searching season seat seated secluded
secondary secrecy secretive sections secure security seduce seductive seemingly seldom select self selfish selfless send senior sensation sense senses sensible sensitive
sensitivity sensory sensual sensuality sentiment sentimental separate separated separation separations serene serenity series seriousness session set sets setback setbacks
settle settled several severe severity sex sexual shadowy shaken shaky shame shameful shape shaped share shared shares sharing sharpen sheer shelter shield shift
shifting shifts shine shiver shocked shocking shocks shooting shootout shootouts shortens shortening shots shoulders shouting shouts shove shoves show showdown showdowns showing
shrink shun shut shy shyness sibling siblings sick side sideways sight sights signals significant silences silhouettes silly similar similarly simplify simultaneous sincere
sincerity sinister sit situational skeptical skill skilled skills skirmish slam slap slapstick slaughter slide slight slip slow slowing slump small smaller smiles smiling
smoother snap snappy sneak sneaking sober sociable social societal society softly softness soldierly sole solemn solemnity solidarity solitary solitude solo solution solve
somber sombre someone sorrow sorrowful sort sound sounds source sources spacious span spark sparks sparsely special specialist spectacle spectacular spectator spectators
speech speeches speed spin spiral spirited spiritual split splits spoil spontaneous sport sports sporting spot spots spread spying squabble square squeeze stab stability
stable stage staged stages staging stakes stalk stalked stalker stalking stance stand standing standoff standoffs star stare stares staring startle startled state
statement states stature status steadily steady steal stealing stealthy step steps stern sticking stiff stilled stillness sting stir stoic stomach stop stops stories
straight strain strained strange strangeness stranger strangers strategic strategy stream street strength strengthen strengths stretch stretches strict strike strikes striking
string strip struggle struggles struggling stubborn stubbornness stuck student studied study stuff stumble stun stunned stunt stunts stupid style styles stylish stylised
stylized sub subdue subdued subjective subjects subordinate substance substitute subtlety succeed success successful suddenness suffer suffering sufficient suffocating
suggestion suggestive suicidal suicide suit suitable summon superior supernatural superiority supper supplement supply supporting suppose suppress suppressed supremacy sure
surface surgery surgeries surprised surprises surprising surreal surrender surrenders surround surrounded surrounding surroundings surveillance survey survival survive survivor
survivors suspect suspected suspects suspicion suspicions suspicious sustain sustained swell swift swing symbol symbolic symbolise symbolism symmetric sympathetic sympathise
sympathy symptom sync system table tableau tableaus tableaux taboo tackle tactic tactical tactics tactile talented talk talker talking talks tame tangible target targets task
tasks tasteful taunt taunts teach teaching team teams teammate teammates tear tearful tears tease teasing technical technique techniques technological technology teen
teenage teenager teenagers teller temper temperament temporal temporary tempt temptation tend tendency tenderly tensions term terms terrain terrible terrifying terrified
territory terror test testimony tests texture theatre theatrical theme themes theory thick thin thinks thorough thoughtful thoughts threat threats thrill thriller thrilling
thrive thriving throughout thus tide tied tight tightly timed timeless timid timings tiny tired tiredness together toil tolerance toned tool tools topic topics torment
torture toss total touches touching tough tour toward towering toxic trace traces track trade trades tradition traditional tragedy tragic trail trait traitor traitors tranquil
transform transformation transformations transgression translate trap trapped traps trauma traumatic traumatised travel travelling traveling traveller travellers treacherous
treachery treat treatment tremble trembling tremor trend trial trials tribute trick trickery trickster tricks triggers trip trips triumph triumphant triumphs trivial troop
trouble troubled troubles truce trusted trusting truths tune turbulence turbulent turmoil turns tv twist twists tyranny tyrant ugly ultimate ultimatum ultimatums unable
unafraid unannounced unanswered unarmed unaware unbalanced unbearable uncanny uncertain unchanged uncomfortable uncommon uncontrolled unconscious uncover undercover
undercurrent undercut underdog underdogs understand understanding understands underwater undesired undisturbed undone unequal uneven unexpected unfair unfamiliar unfold unfolds
unfriendly unhappy unhurried uniform uninterrupted union unique unite united unity universal unjust unkind unknown unless unlikely unlit unmoved unnatural unnecessary
unnerving unpleasant unpredictable unprepared unravel unreal unreliable unrequited unrest unsaid unsafe unseen unsettle unsettled unsettling unstable unsteady unsuccessful unsure
untold unusual unwanted unwelcome unwilling unwitting upbeat upheaval upper upright upset upward urban urge urgency urgent useful useless usual utter vacuum vague
valiant valuable value values vanish vanishing vanity vantage variable variation various vast vehicle vehicles veiled vengeance vengeful venture verbal verdict verdicts verge
versions vertigo victim victims victor victors victorious victory victories views viewpoint viewpoints vigil vigilance villain villainous villains violate violation violent visceral
visible vision visions visit visited visiting visitor visitors visits visual visuals vital vocal voiceless voices volatile volume voluntary vote votes voting vow vows voyeur
voyeuristic vulgar waiting wake waking wander wandering wane wanting warfare warlike warm warming warning warnings warrior warriors wary waste watchful watching wave waver wavering
weakened weakness wealth wealthy weapon weapons weaponry wear wears weariness weary weave weep weeping weigh weight weightless weird welcome welcoming wellbeing whimsical whimsy
whispered whispers whispering wicked widely wild wilderness willing willpower win winner winners winning wins wisdom wise wistful wit withdraw withdrawal withdrawn withhold
withholds witness witnesses witty wonder wondering wonders wordlessly work worker workers working works world worlds worn worried worries worry worse worship worthy
wound wounds wrath wrestle wrong yearn yearning yield young younger youth youthful zero zeal zone
abandoned acceptance actions activities admits adrenaline ages ahead aim alarms alike alternating ambience amid amidst amount angles anguish anonymous apology appearance appearances
arrivals artful aspects assembled assembling audiences awkwardly awkwardness backstory bargaining bathed battles beginnings being beings blocked blood bodily boredom
bossy briefing briefings bringing calmly calmness candour caretaker carries casual celebrations celebration celebratory centred centered certainty chemistry childhood childlike
childish choices chores clarify closed colours colors combatant combatants comforting commands communal competing composure concealed confessions confidently conflicts confronting
connections consequences contrast contrasts conversations corners costs crowds crying cue cues dance dances dancing dangers daunting daydream deals debt dawning deathbed
decisions demands depth detached details diagonals diagonal diagnosis difference differences dinner dinners discoveries disagreement disagreements disagree distances divided diversion
drama dynamic ears edges elderly elliptical ellipsis emptiness engagement enters epilogue equality escapes establishing euphoria euphoric excursions expedition expeditions extremes
extras falling farewells favours favors fears feelings fights fillers flashbacks flashes flaws flirtation flirting flirt followed footsteps foreheads form formal forms friend fullness
gambit gaining gains gatekeeper giving glimpsed grounds growing guarding handing hearing hearings helper helpers hesitations hiding highlights hints holding honest household
households humanise humanize humiliations idea ideals illness illnesses imagery imbalance immersed immersive impacts inaction inanimate indication individual infatuation
inserts insider insiders instants intensity intentions interiors interrogations intimacy introductory inviting irritation irritated jealous joking joys judges judging keeps keys
knowingly knows larger laughs layout lessons letting lights limits liveliness lull lying makes makeup maker makers marching meals meal meetings mends mending metaphor
metaphors midday midpoint midst military mischief mischievous misunderstandings momentous mortal mortality mouths movements moving muffled muffle multitude nearness necks negotiations
newer nights noise nonsense nonlinear obligations occupied offended offscreen ones opponents orderly outbursts outdoor outsiders overhead overlaps pain panning parting partial partially
participant participants peaceful peaks pity phrases physically planet planets pleas pleasures plots poses powers prelude pretense prologue propaganda protagonists proximity quietly
quietness reasons rebukes rehearsal rehearsals rejecting relieved relying remaining remains repentance repetitions reprieve reserve retell retelling reunions reverse revered rises
rivalries rivals rhythm rooms routes sadder satisfying savour savor seconds secrets seduction segments seriously settings shadows shaping shorten sides sights silhouetted simplicity
sincerely singles situations sizes skies slapstick sleeping slowdown slower slowness smells soothing sorts soundless spaces spans speakers speaking speaks spectrum sprint stabilise
standard stares starts staying steadiness stillness stranded stylistic subtler suffocation suits suspenseful suspensions sweeping sympathies talked tastes tellers temptations tenderness
textures thirst threaten threatened threatens tightness tilts tilting tone tones touched tracking transit transitions transparency travels treaties trials truthful turning twin unaffected unbroken
unease unfinished unity unmoving unobserved unplanned unrushed untouched uplifting upstage usage vantage vibe vibes viewers violence visibility vistas vista voice voiceover voices vows waits walks
warmth weaker weddings wins wishes withheld wording words wounded wounding writing yelling yells
`)

// generalEndings make of whatever stands before them a word of what things are like.
var generalEndings = []string{"ness", "nesses", "ment", "ments", "tion", "tions", "sion", "sions", "ance", "ances", "ence", "ences", "ancy", "ency", "ity", "ities", "ship", "ships", "ism", "hood", "dom",
	"ly", "ful", "less", "ive", "ous", "able", "ible", "ical", "ish", "esque"}

// roleWords are people by what they are; one of them with “the” is somebody.
var roleWords = setOf(`
man woman boy girl child baby husband wife mother father brother sister son daughter uncle aunt cousin nephew niece grandmother grandfather grandson granddaughter widow widower orphan twin
bride groom king queen prince princess duke duchess count countess baron baroness earl emperor empress lord lady knight squire heir heiress regent captain commander colonel general
sergeant lieutenant admiral major officer soldier marine sailor pilot navigator engineer medic doctor nurse surgeon scientist professor teacher headmaster principal coach trainer driver
mechanic farmer rancher miner smith blacksmith baker cook chef waiter waitress bartender barkeeper innkeeper landlord landlady butler maid footman steward governess gardener groundskeeper
keeper lighthousekeeper fisherman ferryman hunter trapper thief burglar robber smuggler pirate bandit outlaw sheriff deputy marshal ranger cop policeman detective inspector constable agent
spy lawyer attorney prosecutor judge clerk banker merchant shopkeeper trader mayor governor senator president minister ambassador priest nun monk bishop cardinal rabbi imam pastor vicar witch
wizard sorcerer mage druid shaman oracle prophet vampire werewolf ghost spirit demon angel dragon elf dwarf orc goblin troll giant mermaid android robot cyborg alien clone artist painter
sculptor singer musician pianist violinist dancer ballerina actor actress poet writer journalist reporter editor publisher photographer architect carpenter plumber janitor guard jailer warden
executioner hangman hostage refugee immigrant beggar tramp drifter gambler dealer boxer wrestler jockey goalkeeper striker captain quarterback swimmer climber hermit mayor barber tailor
seamstress midwife undertaker gravedigger coroner chemist apothecary pharmacist librarian archivist curator translator courier messenger postman secretary receptionist boss manager
landowner peasant serf slave rebel assassin mercenary sniper bodyguard chauffeur nanny babysitter stepmother stepfather godfather godmother ex fiance fiancee roommate neighbour neighbor
dog cat horse mare stallion wolf bear fox raven crow owl bird snake spider shark whale lion tiger elephant
`)

// thingWords are things that can be touched, and those that somebody has.
var thingWords = setOf(`
letter diary journal ledger book notebook manuscript map chart photograph photo portrait painting newspaper telegram envelope parcel package contract testament treaty document file
passport ticket coin purse wallet money cash cheque jewel necklace brooch ring bracelet locket pendant crown tiara sceptre medal badge amulet talisman relic chalice goblet cup mug glass bottle
flask plate bowl spoon fork knife dagger sword blade axe spear bow arrow shield armour armor helmet gun pistol revolver rifle shotgun bullet bomb grenade dynamite rope chain shackle handcuffs
key lock padlock safe chest box crate barrel bag sack suitcase trunk briefcase backpack lantern lamp candle torch match lighter cigarette cigar pipe ashtray mirror comb brush clock watch hourglass
compass telescope microscope radio telephone phone television computer laptop tablet antenna satellite drone console gauge lever button switch engine reactor pump valve cable wire battery
chair armchair throne sofa couch bed cradle crib desk wardrobe cupboard drawer shelf carpet rug curtain tapestry chandelier fireplace hearth stove oven kettle pot pan teapot piano organ violin guitar
drum trumpet flute harp bell whistle doll toy teddy puppet mask veil hat cap cloak coat jacket scarf glove boot shoe dress gown uniform shirt apron belt ribbon handkerchief umbrella cane crutch
wheelchair bandage syringe pill poison potion vial scalpel coffin grave tombstone gravestone urn skull bone scar tattoo birthmark limp statue bust altar cross crucifix rosary bible scroll car truck van bus
taxi motorcycle bicycle bike carriage wagon cart sled boat ship raft canoe ferry submarine plane helicopter rocket shuttle spaceship spacecraft starship pod train tram ladder hammer nail saw shovel spade
anvil plough net hook oar anchor mast sail rudder flag banner drum tent cage trap saddle bridle hay cake bread apple pie soup tea coffee wine whisky whiskey beer oilcloth seal wax recipe trophy ball bat
racket scoreboard jersey sabre saber lightsaber crystal orb wand grimoire cauldron broom core chip implant pacemaker tank cannon counter barn piano jukebox poster sign tree rose flower bouquet cushion pillow
blanket quilt sheet rattle gate fence well fountain jewel gem emerald ruby diamond pearl
`)

// placeWords are places that a story has its own of.
var placeWords = setOf(`
house mansion manor cottage cabin hut apartment flat hotel motel inn tavern pub bar saloon cafe restaurant diner bakery shop store market mall office factory mill mine quarry farm ranch barn stable
school university college classroom library museum gallery theatre theater opera cinema stadium arena gym hospital clinic asylum prison jail cell dungeon court courthouse courtroom church chapel cathedral
monastery convent abbey temple shrine cemetery graveyard crypt tomb castle palace fortress tower lighthouse windmill harbour harbor port pier dock wharf quay jetty beach shore coast cliff island lagoon reef
lake river pond swamp marsh moor desert oasis canyon valley mountain glacier volcano cave tunnel forest jungle meadow orchard garden greenhouse vineyard park square plaza bridge road highway crossroads
station airport runway platform hangar warehouse depot garage cellar basement attic kitchen pantry bedroom bathroom nursery ballroom parlour parlor study laboratory lab morgue ward barracks camp
bunker trench battlefield village town city suburb slum colony outpost base airlock cockpit deck hold galley hull wreck moon planet asteroid nebula galaxy capital embassy border embankment boathouse
arcade brothel casino circus carnival fairground playground pool sauna spa yard courtyard terrace balcony veranda porch rooftop staircase stairs corridor hall hallway elevator lift
`)

// occasionWords are what happens once; one of them with “the” is an event.
var occasionWords = setOf(`
wedding funeral burial christening birthday anniversary coronation election trial execution murder killing suicide kidnapping abduction robbery heist theft burglary fire flood storm earthquake eruption avalanche
shipwreck crash accident explosion poisoning siege coup mutiny revolution uprising invasion massacre landing launch takeoff eclipse harvest plague epidemic betrothal engagement divorce pregnancy birth
graduation exam tournament final championship premiere ball banquet masquerade picnic feast attack ambush raid rescue breakout jailbreak
`)

// setPieces are of every place and of everybody: “the door” is any.
var setPieces = setOf(`
door window room wall floor ground ceiling sky horizon screen table street crowd house road corridor hallway stairs hall doorway threshold landscape city body bodies face hands weapon object prop vehicle machine
device tool animal food drink meal rain weather fire smoke sun moon clothes costume music sound news message stage audience team group crew family couple household others
threat creature monster killer villain hero victim survivor leader speaker listener suspect witness attacker intruder pursuer enemy opponent rival lover lovers stranger outsider newcomer observer questioner
interrogator narrator protagonist antagonist
`)

// persons are words that he and she may stand for: anybody.
var persons = setOf(`
someone somebody anyone anybody everyone everybody nobody whoever person people character characters figure speaker listener opponent party lover lovers parent protagonist antagonist villain hero heroine victim
survivor subject partner stranger leader individual somebody's someone's guest visitor witness suspect outsider newcomer other others couple observer actor performer
`)

// styleNames are names that stand for a way of telling or of showing.
var styleNames = setOf(`
dutch french german italian japanese korean chinese spanish american british english russian swedish scandinavian nordic european asian hollywood bollywood western westerns spaghetti gothic victorian edwardian regency
baroque renaissance impressionist expressionist art deco nouveau hitchcock kubrick kurosawa leone spielberg godard ozu tarkovsky bergman welles fincher anderson wes malick lynch scorsese tarantino
miyazaki ghibli vermeer caravaggio hopper turner monet goya imax hdr pov ots ecu mcu cu ms ls led vhs tv cctv cgi ai sci fi steadicam rembrandt kuleshov mickey mexican christmas halloween i act ii iii iv
bw led rgb dslr
`)

// moreWords are such words too: what things are like and what is done with them.
var moreWords = setOf(`
wet wetter brand cook cooking burn burning mount mounting structure structures clean dirty dusty muddy foggy rainy snowy sunny stormy windy icy misty smoky hazy grimy glossy shiny rusty rotten raw ripe
sweaty bloody bruised barefoot half-lit candlelit moonlit sunlit lamplit firelit neon-lit overcast cloudy cloud clouds puddle puddles reflection reflections dust dirt mud ash ashes ember embers spray splash splashes drip drips
puff breeze gust gusts ripple ripples rustle creak creaks click clicks tick ticks hum hums buzz thud clatter knock knocks footfall heartbeat heartbeats pulse ring rings beep beeps whir siren sirens engine engines motor wheels wheel
bike bikes traffic skyline rooftops alley alleys lane lanes crossing crossings pavement sidewalk block blocks neighbourhood neighborhood district suburb suburban countryside farmland wasteland ruins ruin seaside coastal alpine
lawn hedge path paths trailhead campsite campfire bonfire bench benches counter counters shelf shelves aisle aisles lobby foyer podium stand stands pitch field fields track tracks ring rings court
player players rookie veteran veterans champion champions referee umpire fan fans captaincy underperform score goal goals kick pass serve sprint tackle punch punches jab dodge dodges swing swings race match
patient patients client clients customer customers employee employees boss bosses intern interns pupil pupils student students classmate classmates teacher teachers tutor roommate roommates neighbour neighbours
cop cops detective detectives officer officers soldier soldiers guards guard knights knight villagers villager townsfolk locals civilian civilians bystander bystanders passer-by pedestrian pedestrians tourist tourists commuter
commuters worker workers labourer labourers servant servants noble nobles courtier courtiers peasant peasants outlaw outlaws gang gangs gangster gangsters mob mobs crook crooks criminal criminals smuggler smugglers pirate pirates
monarch monarchs ruler rulers royalty aristocrat aristocrats aristocracy commoner commoners elite elites boss politician politicians diplomat diplomats delegate delegates juror jurors jury juries lawyer lawyers accomplice accomplices
sidekick sidekicks henchman henchmen minion minions mastermind hunter hunters prey beast beasts pet pets animal animals dogs horses riders rider crowd crowds
parent parents mothers fathers brothers sisters sons daughters husbands wives spouse spouses bride brides groom grooms twins toddler toddlers infant infants teen teens grandparent grandparents elders ancestor ancestors
offspring heir heirs widow widows orphan orphans caregiver caregivers
argue banter bicker chatter chant cheer clap crouch curl dash dodge doze drop duck embrace escort faint fidget flinch flirt fumble gasp gaze giggle glance glare grab greet grin groan grumble halt hug hum hurry juggle jump kick
kneel lean lift limp lounge mumble murmur nap nudge pace pant pat peek peer pick pinch point pout prowl punch rub run scowl scratch shiver shove shrug shudder sigh sip skid slouch slump smirk snarl sneer sniff snore sob sprawl sprint squat
squint stagger stammer stroll strut stumble stutter swagger sway swim sweat tap tilt tiptoe toast trip trot trudge tumble twitch wade wave wince wink wipe yawn type typing dial swipe scroll tap press unlock
huddle swarm mingle gather disperse surround circle flank corner chase follow lead trail
hopefulness optimism pessimism serenity bliss gloom dreary bleak grim stark sterile lush verdant barren desolate lonely cozy snug cramped stuffy airy vast cavernous towering sprawling labyrinthine claustrophobia vertigo
tranquillity whimsy charm elegance opulence squalor decadence austerity poverty luxury grit gritty raw polished slick rustic quaint retro vintage futuristic dystopian utopian apocalyptic post-apocalyptic medieval
prehistoric colonial industrial urban noirish pulpy campy kitschy surreal abstract minimalist maximalist gritty glossy hyperreal documentary newsreel footage archival handheld found-footage mockumentary vlog selfie webcam split-screen
split diptych triptych vignettes collage storyboardlike cartoon cartoonish animated anime manga comic comics watercolour watercolor oil ink charcoal pencil engraving woodcut fresco mosaic stained sketchlike cel shaded shading linework
outline outlines hatching brushwork brushstrokes strokes impasto palette-knife hue hues tonal tonality gradient gradients pastel earthy sepia teal orange crimson amber turquoise violet magenta cyan ivory beige lilac
backlighting sidelighting underlighting toplight uplight spotlight spotlights floodlight floodlights headlight headlights streetlight streetlights lantern lanterns candle candles torch torches firelight starlight fluorescent strobe
strobes flicker flickers lens lenses millimetre millimetres wide-angle zooms dolly-zoom whip whips pan tilt crane drone jib gimbal rig rigs slider slow-motion slowmo timelapse time-lapse freeze freeze-frame overcrank undercrank
jump-cut jump-cuts smash smash-cut match-cut crosscut crosscuts cross-cutting crosscutting intercutting dissolve dissolves fade fades wipe wipes iris split-diopter diopter rack racks pull-focus headroom leading-room lead-room nose-room
eyeline eyelines sightline sightlines blocking staging mise-en-scene foregrounding parallax perspective horizon horizons vanishing grid ratio letterbox widescreen portrait-format square format formats crop cropped cropping
caption captions subtitle subtitles title titles credits score soundtrack cue cues voice-over narration narrator diegetic ambient
adjective adjectives adverb adverbs verb verbs noun nouns metaphors simile similes clause clauses tense tenses person syntax punctuation comma dash ellipsis italics bullet bullets heading headings list lists lines sentence sentences
paragraphs prose roleplay ever height heights hunger cold doorstep doorsteps celebrate brim crises wording phrasing vocabulary register diction slang jargon dialect accent accents formal informal archaic plainspoken terse laconic verbose flowery ornate concise succinct
`)
