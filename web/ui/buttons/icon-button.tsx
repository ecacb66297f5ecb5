import { type ComponentType, type ReactNode, type SVGProps, useCallback, useEffect, useRef, useState } from 'react'
import { Button } from 'react-aria-components/Button'
import { lazyPart } from '../lazy-part.tsx'
import './button.css'
import './icon-button.css'

const Tooltip = lazyPart(async () => (await import('./tooltip.tsx')).Tooltip, { isHint: true })

/** The time for which the pointer must rest on a button before its tooltip appears, in milliseconds. */
const DELAY = 400

/** A button that shows an icon; its label is a tooltip as well. */
export function IconButton(props: {
  label: string
  icon: ComponentType<SVGProps<SVGSVGElement>>
  /** The keys that do the same, shown in the tooltip. */
  keys?: string | undefined
  /** For a button that switches something on and off. */
  isPressed?: boolean
  isPending?: boolean
  onPress: () => void
}): ReactNode {
  const { label, keys, icon: Icon, isPressed, isPending = false, onPress } = props
  const button = useRef<HTMLButtonElement>(null)
  const [isOpen, open] = useState(false)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const close = useCallback(() => {
    clearTimeout(timer.current)
    open(false)
  }, [])
  useEffect(() => () => clearTimeout(timer.current), [])
  return (
    <>
      <Button
        ref={button}
        className="button button-quiet button-round icon-button"
        aria-label={label}
        {...(isPressed !== undefined && { 'aria-pressed': isPressed })}
        isDisabled={isPending}
        onHoverStart={() => {
          timer.current = setTimeout(() => open(true), DELAY)
        }}
        onHoverEnd={close}
        onFocus={({ target }) => target.matches(':focus-visible') && open(true)}
        onBlur={close}
        onPress={() => {
          close()
          onPress()
        }}
      >
        <Icon className="icon" aria-hidden="true" />
      </Button>
      {isOpen && <Tooltip text={keys === undefined ? label : `${label} (${keys})`} trigger={button} onClose={close} />}
    </>
  )
}
