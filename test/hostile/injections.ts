/** Returns strings that inject markup, scripts or styles if a renderer does not escape them. */
export function injections(): string[] {
  return [...new Set([...markup(), ...breakouts(), ...addresses(), ...ODDITIES])]
}

const CALLS = ['alert(1)', 'alert`1`', '&#97;lert(1)', 'top["al"+"ert"](1)']

const EVENTS =
  'abort animationend auxclick beforetoggle blur change click copy drag error focus focusin input keydown load mouseover paste pointerenter scroll toggle'
    .split(' ')
    .map((name) => `on${name}`)

const ELEMENTS =
  'a audio base body button details embed form frame iframe img input isindex link marquee math meta object p script select style svg textarea video x'.split(
    ' ',
  )

/** Ways to write a tag so that a filter may not recognize it. */
const TAG_FORMATS: ((tag: string, attribute: string) => string)[] = [
  (tag, attribute) => `<${tag} ${attribute}>`,
  (tag, attribute) => `<${tag.toUpperCase()}/${attribute.toUpperCase()}>`,
  (tag, attribute) => `<${tag}\n${attribute} `,
  (tag, attribute) => `<<${tag} ${attribute}//`,
  (tag, attribute) => `&lt;${tag} ${attribute}&gt;`,
]

/** Returns elements with an event handler in all formats. */
function markup(): string[] {
  return ELEMENTS.flatMap((tag) =>
    EVENTS.flatMap((event, number) =>
      TAG_FORMATS.map((write) => write(tag, `src=x ${event}=${CALLS[number % CALLS.length]}`)),
    ),
  )
}

const QUOTES = ['"', "'", '`', '&quot;', '&#34;', '&#x27;', '\\"', '%22']

/** Returns attribute values that end early and add another attribute. */
function breakouts(): string[] {
  const attributes = [
    ...EVENTS.map((event) => `${event}=alert(1)`),
    'style=position:fixed',
    'id=x',
    'class=x',
    'srcdoc=x',
  ]
  return QUOTES.flatMap((quote) =>
    attributes.flatMap((attribute) => [
      `${quote} ${attribute} x=${quote}`,
      `${quote}>${quote}<x ${attribute}>`,
      `x${quote}/${attribute}/`,
    ]),
  )
}

const SCHEMES = ['javascript', 'data', 'vbscript', 'file', 'blob', 'about', 'ws', 'filesystem', 'intent', 'view-source']

const DISGUISES: ((scheme: string) => string)[] = [
  (scheme) => `${scheme}:`,
  (scheme) => `${scheme.toUpperCase()}:`,
  (scheme) => ` ${scheme}:`,
  (scheme) => `\u0001${scheme}:`,
  (scheme) => `\u00a0${scheme}:`,
  (scheme) => `${scheme.slice(0, 2)}\t${scheme.slice(2)}:`,
  (scheme) => `${scheme.slice(0, 2)}\n${scheme.slice(2)}:`,
  (scheme) => `${scheme.slice(0, 2)}\r${scheme.slice(2)}:`,
  (scheme) => `${scheme.slice(0, 2)}\u0002${scheme.slice(2)}:`,
  (scheme) => `&#${scheme.charCodeAt(0)};${scheme.slice(1)}:`,
  (scheme) => `&#0000${scheme.charCodeAt(0)}${scheme.slice(1)}:`,
  (scheme) => `&#x${scheme.charCodeAt(0).toString(16)};${scheme.slice(1)}:`,
  (scheme) => `${scheme}&colon;`,
  (scheme) => `${scheme}&#58;`,
  (scheme) => `${scheme}&amp;#58;`,
  (scheme) => `${scheme}%3A`,
  (scheme) => `${scheme}\u200b:`,
  (scheme) => `${scheme}\uff1a`,
  (scheme) => `//x/\\..${scheme}:`,
  (scheme) => `https:${scheme}:`,
  (scheme) => `http://x@${scheme}:`,
  (scheme) => `<${scheme}:`,
  (scheme) => `\\${scheme}:`,
  (scheme) => `/\\${scheme}:`,
]

const BODIES = ['alert(1)', '//example.com/%0Aalert(1)', 'text/html,<script>alert(1)</script>', '"onclick="alert(1)']

function addresses(): string[] {
  return SCHEMES.flatMap((scheme) =>
    DISGUISES.flatMap((disguise) => BODIES.flatMap((body) => [disguise(scheme) + body, `${disguise(scheme)}${body})`])),
  )
}

const ODDITIES = [
  '<script>alert(1)</script>',
  '</code></pre></div><iframe srcdoc="x">',
  '--><script>alert(1)</script><!--',
  ']]><style>*{}</style>',
  '<<a|a>script>alert(1)<</a|a>/script>',
  '&#60;img src=x onerror=alert(1)&#62;',
  '\u00020\u0003<b>\u0002999\u0003',
  '<math><mi xlink:href="x">',
  '<svg><style><img src=x onerror=alert(1)></style>',
  '\0<b\0>',
  '`<b>`*<i>**<u>~~<s>',
  '[a](b)[<b>](javascript:alert(1))',
  '}\\href{javascript:alert(1)}{',
  '\\htmlData{onclick=alert(1)}{a}',
]
