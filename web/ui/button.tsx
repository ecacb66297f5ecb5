import type { ReactNode } from 'react'
import { Button as AriaButton, type ButtonProps as AriaButtonProps } from 'react-aria-components/Button'
import './button.css'

export type ButtonProps = Omit<AriaButtonProps, 'className' | 'children'> & {
  /** `primary` is the one thing that a screen is for; `danger` cannot be taken back. */
  kind?: 'primary' | 'plain' | 'quiet' | 'danger'
  icon?: ReactNode
  children?: ReactNode
}

/** A button; without text it needs an `aria-label`. While `isPending` it keeps the focus and does nothing. */
export function Button({ kind = 'plain', icon, children, ...props }: ButtonProps): ReactNode {
  const shape = children === undefined ? ' button-round' : ''
  return (
    <AriaButton {...props} className={`button button-${kind}${shape}`}>
      {props.isPending ? <span className="button-spinner" aria-hidden="true" /> : icon}
      {children}
    </AriaButton>
  )
}
