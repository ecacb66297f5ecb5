/** What the passwords begin with that leaked most often, in lists of many years. */
const COMMON = new Set(
  (
    'password passwort passw0rd p@ssw0rd p@ssword motdepasse contraseña qwerty qwertz azerty qwertyuiop qwertzuiop ' +
    'asdfghjkl asdfasdf zxcvbnm 1q2w3e4r 1q2w3e4r5t 1qaz2wsx q1w2e3r4 letmein welcome willkommen iloveyou admin ' +
    'administrator changeme secret football baseball superman batman princess sunshine starwars monkey dragon master ' +
    'shadow whatever trustno1 hello hallo'
  ).split(' '),
)

/** Whether a password is among the first that anybody would try: a common one with something behind it, a run, or a repetition. */
export function isCommonPassword(password: string): boolean {
  const letters = password.normalize('NFKC').toLowerCase()
  if (COMMON.has(letters) || COMMON.has(letters.replace(/[^\p{L}]+$/u, ''))) return true
  return /^(.{1,3})\1+$/u.test(letters) || isRun(letters)
}

/** Whether each character follows the one before it, up or down: `12345678`, `hgfedcba`; 0 comes behind 9. */
function isRun(text: string): boolean {
  const codes = Array.from(text, (character) => character.codePointAt(0) ?? 0)
  const steps = new Set(
    codes.slice(1).map((code, at) => (code === 0x30 && codes[at] === 0x39 ? 1 : code - (codes[at] ?? 0))),
  )
  const [step] = steps
  return steps.size === 1 && (step === 1 || step === -1)
}
