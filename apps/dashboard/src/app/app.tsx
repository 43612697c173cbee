import {
  Drawer,
  MantineProvider,
  Modal,
  Tooltip,
  createTheme,
  localStorageColorSchemeManager,
} from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from 'react-router/dom';
import { queryClient } from '../api/client.ts';
import { Notices } from '../components/notices.tsx';
import { router } from './router.tsx';

/**
 * Values of the theme that are CSS variables stand in theme.css, since the page may not make style elements: what is
 * changed here and there must agree. Locking the page's scroll would make one too.
 */
const theme = createTheme({
  primaryColor: 'indigo',
  cursorType: 'pointer',
  components: {
    Modal: Modal.extend({ defaultProps: { lockScroll: false, centered: true } }),
    Drawer: Drawer.extend({ defaultProps: { lockScroll: false } }),
    Tooltip: Tooltip.extend({ defaultProps: { events: { hover: true, focus: true, touch: true } } }),
  },
});

const colorSchemeManager = localStorageColorSchemeManager({ key: 'svc-color-scheme' });

/** Styles are files alone: nothing of the theme is written into the page at run time (Content-Security-Policy). */
export function App() {
  return (
    <MantineProvider
      theme={theme}
      colorSchemeManager={colorSchemeManager}
      defaultColorScheme="auto"
      withCssVariables={false}
      withGlobalClasses={false}
    >
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
        <Notices />
      </QueryClientProvider>
    </MantineProvider>
  );
}
