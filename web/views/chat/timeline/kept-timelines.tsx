import { type ComponentProps, type ReactElement, type ReactNode, useRef } from 'react'
import { IsShown } from '../../../ui/layout/is-shown.ts'
import { TimelineView } from './timeline-view.tsx'
import './kept-timelines.css'

/** The number of timelines that stay in the document, with the shown one. Each has up to 300 rows. */
const MAX_KEPT = 3

type Shown = Omit<ComponentProps<typeof TimelineView>, 'isShown'>

/** `step` is the key of the history entry. */
type Props = Omit<Shown, 'visit'> & { readonly name: string; readonly step: string }

type Kept = { readonly name: string; usedAt: number; element: ReactElement; isShown: boolean; props: Shown }

/**
 * Shows the timeline `name`, and keeps the timelines that were shown before it in the document, hidden with their
 * layout: returning to one of them creates no rows. Hidden timelines follow no events.
 */
export function KeptTimelines(props: Props): ReactNode {
  const kept = useRef<Kept[]>([])
  const turn = useRef(0)
  turn.current += 1
  kept.current = arrange(kept.current, props, turn.current)
  return (
    <div className="timelines">
      {kept.current.map(({ name, isShown, element }) => (
        <div key={name} className="timeline-place" data-kept={isShown ? undefined : ''}>
          <IsShown value={isShown}>{element}</IsShown>
        </div>
      ))}
    </div>
  )
}

/** Returns the timelines in the order in which they were first shown, because moving an element loses its layout. */
function arrange(before: readonly Kept[], { name, step, ...props }: Props, usedAt: number): Kept[] {
  const known = before.find((one) => one.name === name)
  // A timeline that stays in view does not open again when the address changes.
  const visit = known?.isShown ? known.props.visit : { step }
  const own = { ...props, visit }
  const shown = { name, usedAt, props: own, isShown: true, element: <TimelineView {...own} isShown /> }
  // Another position in the same conversation has the same messages, and so have similar searches.
  const narrow = JSON.stringify(props.narrow)
  const others = before.filter(
    ({ name: other, props: { narrow: known } }) =>
      other !== name && known.kind !== 'search' && JSON.stringify(known) !== narrow,
  )
  const recent = others.toSorted((one, other) => other.usedAt - one.usedAt).slice(0, MAX_KEPT - 1)
  const kept = before.flatMap((one) => (one.name === name ? [shown] : recent.includes(one) ? [hidden(one)] : []))
  return known !== undefined ? kept : [...kept, shown]
}

/** The same element is not rendered again. */
const hidden = (one: Kept): Kept =>
  one.isShown ? { ...one, isShown: false, element: <TimelineView {...one.props} isShown={false} /> } : one
