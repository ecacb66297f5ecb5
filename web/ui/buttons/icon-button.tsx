import type { ComponentType, ReactNode, SVGProps } from 'react'
import { Button } from 'react-aria-components/Button'
import './button.css'
import './icon-button.css'

/** A button that shows an icon; `Tooltips` shows its label and keys. */
export function IconButton(props: {
  label: string
  icon: ComponentType<SVGProps<SVGSVGElement>>
  /** The keys of the button's shortcut. */
  keys?: string | undefined
  /** The state of a button that turns something on and off; omitted for other buttons. */
  isPressed?: boolean
  isPending?: boolean
  onPress: () => void
}): ReactNode {
  const { label, keys, icon: Icon, isPressed, isPending = false, onPress } = props
  return (
    <Button
      className="button button-quiet button-round icon-button"
      aria-label={label}
      data-keys={keys}
      {...(isPressed !== undefined && { 'aria-pressed': isPressed })}
      isDisabled={isPending}
      onPress={onPress}
    >
      <Icon className="icon" aria-hidden="true" />
    </Button>
  )
}
