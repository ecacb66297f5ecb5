import type { ComponentType, ReactNode, Ref, SVGProps } from 'react'
import { Button as AriaButton, type ButtonProps as AriaButtonProps } from 'react-aria-components/Button'
import './button.css'
import { t } from '../text/t.ts'

export type ButtonProps = Omit<AriaButtonProps, 'className' | 'children'> & {
  /** `primary` is for the main action of a screen, `danger` for an action that can't be undone. */
  kind?: keyof typeof CLASSES
  icon?: ReactNode
  children?: ReactNode
  /** The keys of the button's shortcut, for the tooltip of a button without text. */
  'data-keys'?: string | undefined
  ref?: Ref<HTMLButtonElement>
}

const CLASSES = {
  primary: 'button button-primary',
  plain: 'button',
  quiet: 'button button-quiet',
  danger: 'button button-danger',
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
  return (
    <AriaButton
      {...props}
      {...(onPress && !isPending && { onPress })}
      aria-disabled={isPending || undefined}
      className={children === undefined ? `${CLASSES[kind]} button-round` : CLASSES[kind]}
    >
      {isPending ? <span className="button-spinner" aria-hidden="true" /> : icon}
      {children}
    </AriaButton>
  )
}

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
    <AriaButton
      className="button button-quiet button-round icon-button"
      aria-label={label}
      data-keys={keys}
      {...(isPressed !== undefined && { 'aria-pressed': isPressed })}
      isDisabled={isPending}
      onPress={onPress}
    >
      <Icon className="icon" aria-hidden="true" />
    </AriaButton>
  )
}

/**
 * A button that shows more of a list. Its label has the number of entries shown so far. It disappears when all entries
 * are shown.
 */
export function ShowMore({ shown, all, onMore }: { shown: number; all: number; onMore: () => void }): ReactNode {
  if (shown >= all) return null
  return (
    <div className="show-more">
      <Button onPress={onMore}>{t('Show more ({shown, number} of {all, number})', { shown, all })}</Button>
    </div>
  )
}
