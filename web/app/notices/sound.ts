/** The two notes, in hertz, and how long both sound, in seconds. */
const NOTES = [659, 880] as const
const LENGTH = 0.5
const LOUDNESS = 0.12

let context: AudioContext | undefined

/** Two notes, one after the other. Silent where the browser wants something on the page to be pressed first. */
export function playSound(): void {
  context ??= new AudioContext()
  const { currentTime: now, destination } = context
  const volume = context.createGain()
  volume.gain.setValueAtTime(LOUDNESS, now)
  volume.gain.exponentialRampToValueAtTime(0.001, now + LENGTH)
  volume.connect(destination)
  for (const [at, note] of NOTES.entries()) {
    const tone = context.createOscillator()
    tone.frequency.value = note
    tone.connect(volume)
    tone.start(now + (at * LENGTH) / 4)
    tone.stop(now + LENGTH)
  }
}
