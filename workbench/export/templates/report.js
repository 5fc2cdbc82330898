for (const button of document.querySelectorAll('[data-save]')) button.addEventListener('click', () => {
  const bytes = atob(button.previousElementSibling.querySelector('audio').src.split(',')[1]);
  const sound = new Blob([Uint8Array.from(bytes, (byte) => byte.charCodeAt(0))], {type: 'audio/mpeg'});
  const link = document.createElement('a');
  link.href = URL.createObjectURL(sound);
  link.download = button.dataset.save;
  link.click();
});
for (const button of document.querySelectorAll('[data-video]')) button.addEventListener('click', () => {
  const video = document.getElementById('video');
  video.currentTime = Number(button.dataset.video);
  video.scrollIntoView({behavior: 'smooth'});
  video.play();
});
