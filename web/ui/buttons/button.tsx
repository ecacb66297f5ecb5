import type { ReactNode, Ref } from 'react'
import { Button as AriaButton, type ButtonProps as AriaButtonProps } from 'react-aria-components/Button'
import './button.css'

export type ButtonProps = Omit<AriaButtonProps, 'className' | 'children'> & {
  /** `primary` is for the main action of a screen, `danger` for an action that can't be undone. */
  kind?: 'primary' | 'plain' | 'quiet' | 'danger'
  icon?: ReactNode
  children?: ReactNode
  /** The keys of the button's shortcut, for the tooltip of a button without text. */
  'data-keys'?: string | undefined
  ref?: Ref<HTMLButtonElement>
}

/**
 * A button; without text it needs an `aria-label`. While `isPending`, it keeps the focus and presses do nothing. If the
 * button submits a form, the form itself must ignore further submits.
 */
export function Button({
  kind = 'plain',
  icon,
  children,
  isPending = false,
  onPress,
  ...props
}: ButtonProps): ReactNode {
  const shape = children === undefined ? ' button-round' : ''
  return (
    <AriaButton
      {...props}
      {...(onPress && !isPending && { onPress })}
      aria-disabled={isPending || undefined}
      className={`button button-${kind}${shape}`}
    >
      {isPending ? <span className="button-spinner" aria-hidden="true" /> : icon}
      {children}
    </AriaButton>
  )
}
