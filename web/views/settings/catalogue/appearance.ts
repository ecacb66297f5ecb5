import { DEFAULT_LINE_HEIGHT, DEFAULT_TEXT_SIZE, LINE_HEIGHTS, TEXT_SIZES } from '../../../store/browser/text-size.ts'
import { Theme } from '../../../store/browser/theme.ts'
import { t } from '../../../text/t.ts'

const percent = (part: number): string => t('{part, number, percent}', { part })

/** Settings about the appearance of the client. */
export const APPEARANCE_SETTINGS = {
  color_scheme: {
    section: 'preferences',
    label: t('Theme'),
    keywords: t('dark mode, light mode, colors'),
    options: [
      { value: Theme.system, label: t('Match system') },
      { value: Theme.light, label: t('Light') },
      { value: Theme.dark, label: t('Dark') },
    ],
  },
  high_contrast_mode: { section: 'preferences', label: t('High contrast'), keywords: t('accessibility') },
  web_font_size_px: {
    section: 'preferences',
    label: t('Font size'),
    keywords: t('text size, zoom, accessibility'),
    options: TEXT_SIZES.map((value) => ({
      value,
      label: value === DEFAULT_TEXT_SIZE ? t('Browser default') : percent(value / DEFAULT_TEXT_SIZE),
    })),
    describe: (size: number) => percent(size / DEFAULT_TEXT_SIZE),
  },
  web_line_height_percent: {
    section: 'preferences',
    label: t('Line spacing'),
    options: LINE_HEIGHTS.map((value) => ({
      value,
      label: value === DEFAULT_LINE_HEIGHT ? t('Default') : percent(value / 100),
    })),
    describe: (lines: number) => percent(lines / 100),
  },
  fluid_layout_width: {
    section: 'preferences',
    label: t('Use the full window width for messages'),
  },
  web_animate_image_previews: {
    section: 'preferences',
    label: t('Play animated images'),
    keywords: t('GIF, animation, motion'),
    options: [
      { value: 'always', label: t('Always') },
      { value: 'on_hover', label: t('On hover or focus') },
      { value: 'never', label: t('Only in the viewer') },
    ],
  },
  emojiset: {
    section: 'preferences',
    label: t('Emoji style'),
    keywords: t('emoji theme, plain text'),
    options: [
      { value: 'google', label: t('Same on all devices') },
      { value: 'google-blob', label: t('This device’s emoji') },
      { value: 'text', label: t('Plain text (:thumbs_up:)') },
    ],
    describe: () => t('Same on all devices'),
  },
  user_list_style: {
    section: 'preferences',
    label: t('People list style'),
    options: [
      { value: 1, label: t('Compact') },
      { value: 2, label: t('Show status') },
      { value: 3, label: t('Show picture and status') },
    ],
  },
  twenty_four_hour_time: {
    section: 'preferences',
    label: t('Time format'),
    keywords: t('24-hour clock, AM, PM'),
    options: [
      { value: false, label: t('12-hour clock (5:00 PM)') },
      { value: true, label: t('24-hour clock (17:00)') },
    ],
  },
  web_suggest_update_timezone: {
    section: 'preferences',
    label: t('Ask me to update my time zone when I travel'),
    about: t('Parley asks when your computer’s time zone differs from your profile’s.'),
  },
}
