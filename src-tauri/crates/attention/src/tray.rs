//! The icon in the desktop's tray that shows that runs continue without a window.

/// The picture of an icon. Each pixel has four bytes: red, green, blue and opacity. Rows are stored from top to bottom.
pub struct TrayPicture {
    pub width: u32,
    pub height: u32,
    pub rgba: Vec<u8>,
}

/// The action that the user chose with the icon or its menu.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TrayAnswer {
    /// Open the window.
    Open,
    /// Pause all runs: running steps finish, and no new ones start.
    Pause,
    /// Stop all runs.
    Stop,
}

#[cfg(target_os = "linux")]
pub use linux::Tray;
#[cfg(not(target_os = "linux"))]
pub use without::Tray;

#[cfg(target_os = "linux")]
mod linux {
    //! The icon as specified by freedesktop.org and KDE (`StatusNotifierItem`), with a menu.

    use std::{
        sync::mpsc::{Sender, channel},
        thread,
    };

    use ksni::{Icon, MenuItem, ToolTip, blocking::TrayMethods as _, menu::StandardItem};

    use super::{TrayAnswer, TrayPicture};

    type OnChoice = Box<dyn Fn(TrayAnswer) + Send>;

    /// An icon in the tray. It disappears when this value is dropped.
    pub struct Tray(Sender<usize>);

    impl Tray {
        /// Shows an icon for this number of active runs. Returns immediately. If the desktop has no tray, nothing is shown until
        /// it has one. `on_choice` is called from another thread.
        pub fn show(
            picture: &TrayPicture,
            runs: usize,
            on_choice: impl Fn(TrayAnswer) + Send + 'static,
        ) -> Self {
            let (send, changes) = channel();
            let item = Item {
                picture: icon(picture),
                runs,
                on_choice: Box::new(on_choice),
            };
            thread::spawn(move || {
                let Ok(handle) = item.assume_sni_available(true).spawn() else {
                    // There is no bus, so there is no tray.
                    return;
                };
                for runs in changes {
                    handle.update(|item| item.runs = runs);
                }
                handle.shutdown().wait();
            });
            Self(send)
        }

        /// Shows another number of active runs.
        pub fn set_runs(&self, runs: usize) {
            // Without a tray, nothing receives the number.
            let _ = self.0.send(runs);
        }
    }

    struct Item {
        picture: Icon,
        runs: usize,
        on_choice: OnChoice,
    }

    /// Converts a picture to the byte order of the specification: opacity first.
    fn icon(picture: &TrayPicture) -> Icon {
        let mut data = picture.rgba.clone();
        for pixel in data.chunks_exact_mut(4) {
            pixel.rotate_right(1);
        }
        Icon {
            width: i32::try_from(picture.width).unwrap_or(0),
            height: i32::try_from(picture.height).unwrap_or(0),
            data,
        }
    }

    impl Item {
        fn state(&self) -> String {
            match self.runs {
                0 => "No run is active".to_owned(),
                1 => "1 run in the background".to_owned(),
                runs => format!("{runs} runs in the background"),
            }
        }
    }

    impl ksni::Tray for Item {
        fn id(&self) -> String {
            "app.loopwright.desktop".to_owned()
        }

        fn title(&self) -> String {
            "Loopwright".to_owned()
        }

        fn icon_pixmap(&self) -> Vec<Icon> {
            vec![self.picture.clone()]
        }

        fn tool_tip(&self) -> ToolTip {
            ToolTip {
                title: "Loopwright".to_owned(),
                description: self.state(),
                ..ToolTip::default()
            }
        }

        fn activate(&mut self, _x: i32, _y: i32) {
            (self.on_choice)(TrayAnswer::Open);
        }

        fn menu(&self) -> Vec<MenuItem<Self>> {
            let choice = |label: &str, answer: TrayAnswer| {
                MenuItem::from(StandardItem {
                    label: label.to_owned(),
                    activate: Box::new(move |item: &mut Self| (item.on_choice)(answer)),
                    ..StandardItem::default()
                })
            };
            let (pause, stop) = match self.runs {
                1 => ("Pause It and Quit", "Stop It and Quit"),
                _ => ("Pause Them and Quit", "Stop Them and Quit"),
            };
            let state = StandardItem {
                label: self.state(),
                enabled: false,
                ..StandardItem::default()
            };
            vec![
                choice("Open Loopwright", TrayAnswer::Open),
                MenuItem::Separator,
                state.into(),
                choice(pause, TrayAnswer::Pause),
                choice(stop, TrayAnswer::Stop),
            ]
        }
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn the_bytes_of_a_picture_begin_with_the_opacity() {
            let picture = TrayPicture {
                width: 2,
                height: 1,
                rgba: vec![1, 2, 3, 4, 5, 6, 7, 8],
            };
            assert_eq!(icon(&picture).data, [4, 1, 2, 3, 8, 5, 6, 7]);
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod without {
    use super::{TrayAnswer, TrayPicture};

    /// An icon in the tray, which is not implemented on this system yet. Nothing is shown.
    pub struct Tray;

    impl Tray {
        /// Does nothing on this system.
        pub fn show(
            _picture: &TrayPicture,
            _runs: usize,
            _on_choice: impl Fn(TrayAnswer) + Send + 'static,
        ) -> Self {
            Self
        }

        /// Does nothing on this system.
        pub fn set_runs(&self, _runs: usize) {}
    }
}
