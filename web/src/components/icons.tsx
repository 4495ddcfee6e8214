/** Line icons, drawn here. They carry no words: the button around them does. */

const paths = {
  plus: "M12 5v14M5 12h14",
  send: "M12 19V5M6 11l6-6 6 6",
  stop: "M7 7h10v10H7z",
  pencil: "M4 20h4L19 9l-4-4L4 16zM13 7l4 4",
  again: "M20 11a8 8 0 1 0-2.3 5.7M20 5v6h-6",
  trash: "M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13M10 11v5M14 11v5",
  copy: "M9 9h10v11H9zM5 15V4h10",
  check: "M5 12l5 5L19 7",
  left: "M14 6l-6 6 6 6",
  right: "M10 6l6 6-6 6",
  close: "M6 6l12 12M18 6 6 18",
  menu: "M4 7h16M4 12h16M4 17h16",
  note: "M6 3h8l4 4v14H6zM14 3v4h4M9 12h6M9 16h6",
  search: "M11 5a6 6 0 1 0 0 12 6 6 0 0 0 0-12M16 16l4 4",
  sun: "M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8M12 2v3M12 19v3M2 12h3M19 12h3M5 5l2 2M17 17l2 2M5 19l2-2M17 7l2-2",
  moon: "M20 14A8 8 0 0 1 10 4a8 8 0 1 0 10 10",
  half: "M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16M12 4v16",
  down: "M12 5v14M6 13l6 6 6-6",
  info: "M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16M12 11v5M12 8v.01",
  warning: "M12 4 3 20h18zM12 10v5M12 17.5v.01",
  layers: "M12 3 3 8l9 5 9-5zM4 12.5l8 4.5 8-4.5M4 16.5l8 4.5 8-4.5",
  inbox: "M4 13h4l2 3h4l2-3h4M4 13l3-8h10l3 8v6H4zM12 6v5M10 9l2 2 2-2",
  keys: "M4 7h16v10H4zM7 10h.01M11 10h.01M15 10h.01M8 14h8",
  star: "M12 4l2.4 5 5.6.7-4.1 3.8 1.1 5.5-5-2.8-5 2.8 1.1-5.5L4 9.7 9.6 9z",
  sliders: "M4 8h9M17 8h3M4 16h3M11 16h9M15 6v4M9 14v4",
  quote: "M8 7c-2 1-3 3-3 6v4h5v-5H7c0-2 .5-3 2-4zM17 7c-2 1-3 3-3 6v4h5v-5h-3c0-2 .5-3 2-4z",
} as const;

export type IconName = keyof typeof paths;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg className="icon" viewBox="0 0 24 24" aria-hidden="true">
      <path d={paths[name]} />
    </svg>
  );
}

export function Mark() {
  return (
    <svg className="mark" viewBox="0 0 32 32" aria-hidden="true">
      <path d="M11 6h10v20H11zM11 6 4 9v14l7 3M21 6l7 3v14l-7 3" />
    </svg>
  );
}
