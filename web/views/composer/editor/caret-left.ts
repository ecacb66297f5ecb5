/** The properties that decide where a text area breaks its lines. */
const COPIED = [
  ...['box-sizing', 'width', 'padding-left', 'padding-right', 'border-left-width', 'border-right-width'],
  ...[
    'font-family',
    'font-size',
    'font-weight',
    'font-style',
    'letter-spacing',
    'line-height',
    'tab-size',
    'direction',
  ],
]

/** Returns the distance in pixels from the left edge of a text area to the character at a position. */
export function caretLeft(area: HTMLTextAreaElement, position: number): number {
  const mirror = document.createElement('div')
  const style = getComputedStyle(area)
  for (const name of COPIED) mirror.style.setProperty(name, style.getPropertyValue(name))
  for (const [name, value] of [
    ['position', 'fixed'],
    ['visibility', 'hidden'],
    ['white-space', 'pre-wrap'],
    ['overflow-wrap', 'break-word'],
  ] as const)
    mirror.style.setProperty(name, value)
  mirror.append(area.value.slice(0, position))
  const mark = document.createElement('span')
  mark.append(area.value.slice(position) || '.')
  mirror.append(mark)
  document.body.append(mirror)
  const left = (mark.getClientRects()[0]?.left ?? 0) - mirror.getBoundingClientRect().left
  mirror.remove()
  return left
}
