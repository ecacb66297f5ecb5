/** Domains under which addresses are recognized without `http://`: those of countries, and the general ones that people meet. */
const TABLE = `
ac ad ae af ag ai al am ao aq ar as at au aw ax az ba bb bd be bf bg bh bi bj bm bn bo br bs bt bv bw by bz ca cc cd cf
cg ch ci ck cl cm cn co cr cu cv cw cx cy cz de dj dk dm do dz ec ee eg er es et eu fi fj fk fm fo fr ga gb gd ge gf gg
gh gi gl gm gn gp gq gr gs gt gu gw gy hk hm hn hr ht hu id ie il im in io iq ir is it je jm jo jp ke kg kh ki km kn kp
kr kw ky kz la lb lc li lk lr ls lt lu lv ly ma mc me mg mh mk ml mm mn mo mp mq mr ms mt mu mv mw mx my mz na nc ne nf
ng ni nl no np nr nu nz om pa pe pf pg ph pk pl pm pn pr ps pt pw qa re ro rs ru rw sa sb sc sd se sg sh si sj sk sl sm
sn so sr ss st su sv sx sy sz tc td tf tg th tj tk tl tm tn to tr tt tv tw tz ua ug uk us uy uz va vc ve vg vi vn vu wf
ws ye yt za zm zw
academy adult aero agency app archi army art arpa asia associates auction audio auto baby band bank bar beer berlin best
bet bid bike bio biz black blog blue boo boutique brussels build builders business buzz cab cafe camera camp capital
cards care careers cash casino cat catering center ceo charity chat cheap church city claims cleaning click clinic
clothing cloud club coach codes coffee college com community company computer condos construction consulting contact
contractors cooking cool coop country coupons courses credit cruises dad dance date dating day deals degree delivery
democrat dental dentist design dev diamonds digital direct directory discount dog domains download earth eco edu
education email energy engineer engineering enterprises equipment esq estate events exchange expert exposed express fail
faith family fan fans farm fashion film finance financial fish fit fitness flights florist flowers foo football forsale
foundation fun fund furniture futbol gallery game games garden gay gift gifts gives glass global gmbh gold golf google
gov graphics gratis green gripe group guide guitars guru hamburg haus health healthcare help hiphop hockey holdings
holiday home homes horse hospital host hosting house how immo immobilien inc industries info ing ink institute insure
int international investments jewelry jobs kaufen kim kitchen koeln land law lawyer lease legal lgbt life lighting
limited limo link live llc loan loans lol london love ltd luxury maison management market marketing mba media meet meme
memorial men menu miami mil mobi moda moe money mortgage museum name navy net network new news ngo ninja nrw nyc observer
one ong onl online org organic page paris partners parts party pet phd photo photography photos physio pics pictures
pink pizza place plumbing plus poker porn post press pro productions prof promo properties property protection pub
quebec racing recipes red rehab reise reisen rent rentals repair report republican rest restaurant review reviews rich
rip rocks rodeo rsvp ruhr run sale salon sarl school schule science scot security services sex sexy shoes shop shopping
show singles site ski soccer social software solar solutions soy space sport storage store stream studio study style
sucks supplies supply support surf surgery swiss systems tattoo tax taxi team tech technology tel tennis theater tienda
tips tires today tokyo tools top tours town toys trade training travel tube university vacations ventures vet viajes
video villas vip vision vodka vote voyage watch webcam website wedding wien wiki wine work works world wtf xxx xyz yoga
zone рф укр срб бел ею 中国 中國 香港 台湾 한국 भारत`

let domains: Set<string> | undefined

/** `java`, `md`, `mov`, `py` and `zip` are left out on purpose: in a chat they end file names. */
export function isTopLevelDomain(name: string): boolean {
  domains ??= new Set(TABLE.trim().split(/\s+/))
  return domains.has(name.toLowerCase())
}
