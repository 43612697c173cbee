import { Modal, Drawer, Tooltip, createTheme } from '@mantine/core';

/**
 * Values of the theme that are CSS variables stand in theme.css, since the page may not make style elements: what is
 * changed here and there must agree. Locking the page's scroll would make one too.
 */
export const theme = createTheme({
  primaryColor: 'indigo',
  cursorType: 'pointer',
  components: {
    Modal: Modal.extend({ defaultProps: { lockScroll: false, centered: true } }),
    Drawer: Drawer.extend({ defaultProps: { lockScroll: false } }),
    Tooltip: Tooltip.extend({ defaultProps: { events: { hover: true, focus: true, touch: true } } }),
  },
});
